// Normals as the Universal Render Pipeline stores them for occlusion and for the renderer Deferred, which may pack them.
#ifndef LANDSCAPE_NORMALS_INCLUDED
#define LANDSCAPE_NORMALS_INCLUDED

half4 LandscapeNormal(float3 normal)
{
    normal = normalize(normal);
    #if defined(_GBUFFER_NORMALS_OCT)
        float2 shares = saturate(PackNormalOctQuadEncode(normal) * 0.5 + 0.5);
        return half4(PackFloat2To888(shares), 0);
    #else
        return half4(normal, 0);
    #endif
}

#endif
