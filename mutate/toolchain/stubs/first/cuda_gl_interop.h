// kmutate: the toolkit's own header of this name declares host functions only, and asks for headers of graphics libraries.
#pragma once
