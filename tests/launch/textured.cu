// Teaches: nothing; a kernel with textures and surfaces for tests.
//
// Rotates an image by linear filtering, adds a lookup table's entry, and keeps what it wrote in a surface too.

/* kmutate launch
   int width = 256, height = 192;
   uchar4 img[height * width] = randint(0, 255);
   float table[256] = uniform(0, 1);
   float4 out[height * width];
   float4 copy[height * width];
   cudaTextureDesc desc = {
       .addressMode = { cudaAddressModeMirror, cudaAddressModeMirror },
       .filterMode = cudaFilterModeLinear,
       .readMode = cudaReadModeNormalizedFloat,
       .normalizedCoords = 1,
   };
   cudaTextureObject_t picture = texture2D(img, width, height, desc);
   cudaTextureObject_t lookup = textureLinear(table, 256);
   cudaSurfaceObject_t kept = surface2D(copy, width, height);
   dim3 block = { 16, 16 };
   dim3 grid = { width / 16, height / 16 };
   rotate(out, picture, lookup, kept, width, height, 0.5f);
*/

__global__ void rotate(float4 *out, cudaTextureObject_t picture, cudaTextureObject_t lookup, cudaSurfaceObject_t kept,
                       int width, int height, float angle)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float u = (x + 0.5f) / width - 0.5f, v = (y + 0.5f) / height - 0.5f;
    float s = sinf(angle), c = cosf(angle);
    float4 p = tex2D<float4>(picture, u * c - v * s + 0.5f, v * c + u * s + 0.5f);
    p.w += tex1Dfetch<float>(lookup, (x + y) & 255);
    out[y * width + x] = p;
    surf2Dwrite(p, kept, x * (int)sizeof(float4), y);
}
