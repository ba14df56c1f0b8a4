// Lanes with a row each, that load and change it: what a scheduler's loads and stores of many lines take, how often L1 asks L2 for a sector.
// Timed on a GPU and by the model of time, as patterns.cu; sectors by ncu.

/* kmutate launch
   float a[1 << 25] = zeros(); float out[1 << 18] = zeros();
   dim3 block = { 32 }; dim3 grid = { 1 };
   stored_ahead<1, 2, 0, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 40, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 60, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 80, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 100, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 130, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 160, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 200, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 300, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<2, 2, 0, 0, 2, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<4, 4, 0, 0, 4, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<2, 2, 0, 0, 2, 480, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<4, 4, 0, 0, 4, 480, 0, 1>(a, out, 64, 0.5f);
*/
/* kmutate launch
   float a[1 << 25] = zeros(); float out[1 << 18] = zeros();
   dim3 block = { 32 }; dim3 grid = { 16 };
   stored_ahead<1, 2, 0, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 40, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 60, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 80, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 100, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 130, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 160, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 200, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 300, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
*/
/* kmutate launch
   float a[1 << 25] = zeros(); float out[1 << 18] = zeros();
   dim3 block = { 32 }; dim3 grid = { 132 };
   stored_ahead<1, 2, 0, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 40, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 60, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 80, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 100, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 130, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 160, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 200, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 300, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 0, 0, 0, 32, 1, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 20, 0, 0, 32, 1, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 60, 0, 0, 32, 1, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 0, 0, 0, 32, 2, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 20, 0, 0, 32, 2, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 60, 0, 0, 32, 2, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 0, 0, 0, 33, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 20, 0, 0, 33, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 0, 0, 0, 40, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 20, 0, 0, 40, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 0, 0, 0, 64, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 20, 0, 0, 64, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 0, 0, 0, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 20, 0, 0, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 0, 0, 0, 512, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 20, 0, 0, 512, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 0, 0, 0, 1024, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 20, 0, 0, 1024, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 1, 0, 0, 1, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 1, 0, 0, 1, 480, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 0, 0, 1, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 0, 0, 1, 480, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<1, 4, 0, 0, 1, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 4, 0, 0, 1, 480, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<1, 1, 0, 0, 2, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 1, 0, 0, 2, 480, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<2, 2, 0, 0, 2, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<2, 2, 0, 0, 2, 480, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<2, 4, 0, 0, 2, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<2, 4, 0, 0, 2, 480, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<1, 1, 0, 0, 4, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 1, 0, 0, 4, 480, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<2, 2, 0, 0, 4, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<2, 2, 0, 0, 4, 480, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<4, 4, 0, 0, 4, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<4, 4, 0, 0, 4, 480, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<1, 1, 0, 0, 8, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 1, 0, 0, 8, 480, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<2, 2, 0, 0, 8, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<2, 2, 0, 0, 8, 480, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<4, 4, 0, 0, 8, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<4, 4, 0, 0, 8, 480, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<2, 2, 5, 0, 2, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<4, 4, 5, 0, 4, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<2, 2, 20, 0, 2, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<4, 4, 20, 0, 4, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<2, 2, 60, 0, 2, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<4, 4, 60, 0, 4, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<2, 2, 100, 0, 2, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<4, 4, 100, 0, 4, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 0, 0, 2, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 4, 0, 0, 4, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<2, 2, 0, 0, 2, 512, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<4, 4, 0, 0, 4, 512, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<2, 2, 0, 100, 2, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<4, 4, 0, 100, 4, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<2, 2, 5, 0, 2, 480, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<4, 4, 5, 0, 4, 480, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<2, 2, 20, 0, 2, 480, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<4, 4, 20, 0, 4, 480, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<2, 2, 60, 0, 2, 480, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<4, 4, 60, 0, 4, 480, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<2, 2, 100, 0, 2, 480, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<4, 4, 100, 0, 4, 480, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 0, 0, 2, 480, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<1, 4, 0, 0, 4, 480, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<2, 2, 0, 0, 2, 512, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<4, 4, 0, 0, 4, 512, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<2, 2, 0, 100, 2, 480, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<4, 4, 0, 100, 4, 480, 0, 1>(a, out, 64, 0.5f);
*/
/* kmutate launch
   float a[1 << 25] = zeros(); float out[1 << 18] = zeros();
   dim3 block = { 64 }; dim3 grid = { 132 };
   stored_ahead<2, 2, 0, 0, 2, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<4, 4, 0, 0, 4, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<2, 2, 0, 0, 2, 480, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<4, 4, 0, 0, 4, 480, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 0, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<4, 4, 0, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
*/
/* kmutate launch
   float a[1 << 25] = zeros(); float out[1 << 18] = zeros();
   dim3 block = { 96 }; dim3 grid = { 132 };
   stored_ahead<1, 2, 0, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<4, 4, 0, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
*/
/* kmutate launch
   float a[1 << 25] = zeros(); float out[1 << 18] = zeros();
   dim3 block = { 128 }; dim3 grid = { 132 };
   stored_ahead<1, 2, 0, 0, 0, 32, 1, 0>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 0, 0, 0, 32, 2, 0>(a, out, 64, 0.5f);
   stored_ahead<2, 2, 0, 0, 2, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<4, 4, 0, 0, 4, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<2, 2, 0, 0, 2, 480, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<4, 4, 0, 0, 4, 480, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 0, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<4, 4, 0, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
*/
/* kmutate launch
   float a[1 << 25] = zeros(); float out[1 << 18] = zeros();
   dim3 block = { 192 }; dim3 grid = { 132 };
   stored_ahead<1, 2, 0, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<4, 4, 0, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
*/
/* kmutate launch
   float a[1 << 25] = zeros(); float out[1 << 18] = zeros();
   dim3 block = { 256 }; dim3 grid = { 132 };
   stored_ahead<2, 2, 0, 0, 2, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<4, 4, 0, 0, 4, 480, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<2, 2, 0, 0, 2, 480, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<4, 4, 0, 0, 4, 480, 0, 1>(a, out, 64, 0.5f);
   stored_ahead<1, 2, 0, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<4, 4, 0, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
*/
/* kmutate launch
   float a[1 << 25] = zeros(); float out[1 << 18] = zeros();
   dim3 block = { 384 }; dim3 grid = { 132 };
   stored_ahead<1, 2, 0, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
   stored_ahead<4, 4, 0, 0, 0, 32, 0, 0>(a, out, 64, 0.5f);
*/
/* kmutate launch
   float a[1 << 25] = zeros(); float out[1 << 18] = zeros();
   dim3 block = { 32 }; dim3 grid = { 1 };
   stored_ahead<1, 0, 0, 0, 1, 480, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<1, 0, 0, 0, 1, 480, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 4, 480, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 4, 480, 0, 1>(a, out, 56, 0.5f);
*/
/* kmutate launch
   float a[1 << 25] = zeros(); float out[1 << 18] = zeros();
   dim3 block = { 32 }; dim3 grid = { 132 };
   stored_ahead<1, 0, 0, 0, 0, 32, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<1, 0, 0, 0, 0, 33, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<1, 0, 0, 0, 0, 40, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<1, 0, 0, 0, 0, 480, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<1, 0, 0, 0, 0, 512, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<1, 0, 0, 0, 1, 480, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<1, 0, 0, 0, 1, 480, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<1, 0, 0, 0, 1, 512, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<1, 0, 0, 0, 1, 512, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<1, 0, 0, 0, 1, 500, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<1, 0, 0, 0, 1, 500, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 0, 32, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 0, 33, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 0, 40, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 0, 480, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 0, 512, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 2, 480, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 2, 480, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 2, 512, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 2, 512, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 2, 500, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 2, 500, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 0, 32, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 0, 33, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 0, 40, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 0, 480, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 0, 512, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 4, 480, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 4, 480, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 4, 512, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 4, 512, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 4, 500, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 4, 500, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 0, 32, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 0, 33, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 0, 40, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 0, 480, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 0, 512, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 8, 480, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 8, 480, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 8, 512, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 8, 512, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 8, 500, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 8, 500, 0, 1>(a, out, 56, 0.5f);
*/
/* kmutate launch
   float a[1 << 25] = zeros(); float out[1 << 18] = zeros();
   dim3 block = { 128 }; dim3 grid = { 132 };
   stored_ahead<1, 0, 0, 0, 0, 32, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<1, 0, 0, 0, 0, 33, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<1, 0, 0, 0, 0, 40, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<1, 0, 0, 0, 0, 480, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<1, 0, 0, 0, 0, 512, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<1, 0, 0, 0, 1, 480, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<1, 0, 0, 0, 1, 480, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<1, 0, 0, 0, 1, 512, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<1, 0, 0, 0, 1, 512, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<1, 0, 0, 0, 1, 500, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<1, 0, 0, 0, 1, 500, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 0, 32, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 0, 33, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 0, 40, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 0, 480, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 0, 512, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 2, 480, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 2, 480, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 2, 512, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 2, 512, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 2, 500, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 2, 500, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 0, 32, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 0, 33, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 0, 40, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 0, 480, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 0, 512, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 4, 480, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 4, 480, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 4, 512, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 4, 512, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 4, 500, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 4, 500, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 0, 32, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 0, 33, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 0, 40, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 0, 480, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 0, 512, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 8, 480, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 8, 480, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 8, 512, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 8, 512, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 8, 500, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 8, 500, 0, 1>(a, out, 56, 0.5f);
*/
/* kmutate launch
   float a[1 << 25] = zeros(); float out[1 << 18] = zeros();
   dim3 block = { 256 }; dim3 grid = { 132 };
   stored_ahead<1, 0, 0, 0, 0, 32, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<1, 0, 0, 0, 0, 33, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<1, 0, 0, 0, 0, 40, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<1, 0, 0, 0, 0, 480, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<1, 0, 0, 0, 0, 512, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<1, 0, 0, 0, 1, 480, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<1, 0, 0, 0, 1, 480, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<1, 0, 0, 0, 1, 512, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<1, 0, 0, 0, 1, 512, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<1, 0, 0, 0, 1, 500, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<1, 0, 0, 0, 1, 500, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 0, 32, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 0, 33, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 0, 40, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 0, 480, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 0, 512, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 2, 480, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 2, 480, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 2, 512, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 2, 512, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 2, 500, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<2, 0, 0, 0, 2, 500, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 0, 32, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 0, 33, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 0, 40, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 0, 480, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 0, 512, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 4, 480, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 4, 480, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 4, 512, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 4, 512, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 4, 500, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<4, 0, 0, 0, 4, 500, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 0, 32, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 0, 33, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 0, 40, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 0, 480, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 0, 512, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 8, 480, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 8, 480, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 8, 512, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 8, 512, 0, 1>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 8, 500, 0, 0>(a, out, 56, 0.5f);
   stored_ahead<8, 0, 0, 0, 8, 500, 0, 1>(a, out, 56, 0.5f);
*/
// LOADS words of a row, then STORES of them, AHEAD words on each turn; GAP and WAIT: products before each store and behind them. BETWEEN: loads
// the row (1) or its next sector (2) between two stores. PRE: L2 has the row before.
template <int LOADS, int STORES, int GAP, int WAIT, int AHEAD, int PITCH, int BETWEEN, int PRE> __global__ void stored_ahead(float *a, float *out, int rounds, float half)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    float *mine = a + (size_t)t * PITCH;
    int at = 0;
    float last = 0.0f;
    if (PRE) {
#pragma unroll 4
        for (int k = 0; k < rounds * AHEAD; k += 8) last += __ldcg(mine + k);
        at = __float_as_int(last);
        __syncthreads();
    }
#pragma unroll 1
    for (int k = 0; k < rounds; k++) {
        float got[LOADS];
#pragma unroll
        for (int j = 0; j < LOADS; j++) got[j] = mine[at + j];
        float s = 0.0f;
#pragma unroll
        for (int j = 0; j < LOADS; j++) s += got[j];
        int to = at + __float_as_int(s);
#pragma unroll
        for (int j = 0; j < STORES; j++) {
#pragma unroll
            for (int g = 0; g < GAP; g++) s = s * half + last;
            mine[to + j] = s;
            if (j == 0 && BETWEEN == 1) { s += mine[to + 7]; to += __float_as_int(s); }
            if (j == 0 && BETWEEN == 2) { s += mine[to + 16]; to += __float_as_int(s); }
        }
        float y = s;
#pragma unroll
        for (int w = 0; w < WAIT; w++) y = y * half + s;
        at = to + AHEAD + __float_as_int(y);
        last = y;
    }
    out[t] = last;
}
