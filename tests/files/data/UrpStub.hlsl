// As much of the Universal Render Pipeline's ShaderLibrary as our shaders use, with forms but without meaning.
#define half float
#define half3 float3
#define half4 float4
#define CBUFFER_START(name) cbuffer name {
#define CBUFFER_END };
#define TEXTURE2D(name) Texture2D name
#define SAMPLER(name) SamplerState name
#define SAMPLE_TEXTURE2D(picture, sampler, at) picture.Sample(sampler, at)
#define SAMPLE_TEXTURE2D_GRAD(picture, sampler, at, along, down) picture.SampleGrad(sampler, at, along, down)
#define UNITY_VERTEX_INPUT_INSTANCE_ID uint instance : INSTANCE;
#define UNITY_SETUP_INSTANCE_ID(given)
#define UNITY_TRANSFER_INSTANCE_ID(from, to) to.instance = from.instance
#define UNITY_MATRIX_P world
#define UNITY_MATRIX_V world
cbuffer Unity { float4x4 world; float4 _Time; };
struct Light { float3 direction, color; float shadowAttenuation; };
float3 TransformObjectToWorld(float3 place) { return mul(world, float4(place, 1.0)).xyz; }
float3 TransformWorldToObject(float3 place) { return mul(world, float4(place, 1.0)).xyz; }
float3 TransformObjectToWorldDir(float3 way, bool is_unit) { return mul((float3x3)world, way); }
float3 TransformObjectToWorldDir(float3 way) { return mul((float3x3)world, way); }
float3 TransformWorldToObjectDir(float3 way, bool is_unit) { return mul((float3x3)world, way); }
float3 TransformObjectToWorldNormal(float3 way) { return mul((float3x3)world, way); }
float4 TransformWorldToHClip(float3 place) { return mul(world, float4(place, 1.0)); }
float4 TransformWorldToShadowCoord(float3 place) { return float4(place, 1.0); }
float3 ApplyShadowBias(float3 place, float3 normal, float3 light) { return place + normal + light; }
float3 GetCameraPositionWS() { return world[3].xyz; }
float GetOddNegativeScale() { return 1.0; }
float ComputeFogFactor(float depth) { return depth; }
float3 MixFog(float3 colour, float share) { return colour * share; }
float3 SampleSH(float3 normal) { return normal; }
float3 UnpackNormal(float4 texel) { return texel.xyz; }
float2 PackNormalOctQuadEncode(float3 normal) { return normal.xy; }
float3 PackFloat2To888(float2 shares) { return shares.xyy; }
Light GetMainLight(float4 place) { Light sun; sun.direction = place.xyz; sun.color = place.xyz; sun.shadowAttenuation = 1.0; return sun; }
