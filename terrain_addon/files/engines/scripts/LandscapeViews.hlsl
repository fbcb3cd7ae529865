// Plants seen from all sides above the ground: three views of a picture, blended.  Places are east, north and up here.
// Before this file, LANDSCAPE_PICTURE(at, right, down) and LANDSCAPE_SURFACE(at, right, down) say how to read pictures.
#ifndef LANDSCAPE_VIEWS_INCLUDED
#define LANDSCAPE_VIEWS_INCLUDED

static const float LandscapeSpare = 1.15; // how much larger a quad is: what is near looks larger than from far away

struct LandscapeView
{
    float3 eye;    // from the middle of the cylinder, in metres of the mesh
    float4 cells;  // places of the first and second view on the grid; the third is one further than the first
    float4 shares; // of the three views, and the variant
    float3 spot;   // of the quad that is drawn
};

float3 LandscapeDirection(float2 cell, float views)
{
    float2 at = cell / (views - 1.0) * 2.0 - 1.0;
    float2 level = float2(at.x + at.y, at.x - at.y) * 0.5;
    return normalize(float3(level, 1.0 - abs(level.x) - abs(level.y)));
}

float3 LandscapeRight(float3 ahead)
{
    float level = length(ahead.xy);
    return level > 1e-4 ? float3(-ahead.y, ahead.x, 0.0) / level : float3(1.0, 0.0, 0.0);
}

float LandscapeHalf(float3 ahead, float3 cylinder)
{
    return 0.5 * length(ahead.xy) * (cylinder.z - cylinder.y) + abs(ahead.z) * cylinder.x;
}

// `place` is that of a corner on the picture, from its upper border; `grid` has views along a side, and variants.
LandscapeView LandscapeLook(float2 place, float3 eye, float3 cylinder, float2 grid)
{
    LandscapeView o;
    o.eye = eye;
    float3 ahead = normalize(eye);
    float3 right = LandscapeRight(ahead);
    float2 corner = float2(place.x - 0.5, 0.5 - frac(place.y * grid.y)) * 4.0;
    float3 aside = corner.x * cylinder.x * right + corner.y * LandscapeHalf(ahead, cylinder) * cross(ahead, right);
    o.spot = LandscapeSpare * aside;
    float2 level = ahead.xy / (abs(ahead.x) + abs(ahead.y) + max(ahead.z, 0.0));
    float2 at = (float2(level.x + level.y, level.x - level.y) * 0.5 + 0.5) * (grid.x - 1.0);
    float2 first = clamp(floor(at), 0.0, grid.x - 2.0);
    float2 within = at - first;
    float most = max(within.x, within.y), least = min(within.x, within.y);
    o.cells = float4(first, first + (within.x > within.y ? float2(1.0, 0.0) : float2(0.0, 1.0)));
    o.shares = float4(1.0 - most, most - least, least, floor(place.y * grid.y));
    return o;
}

// Returns colour with cover; `margin` is that of a view in shares of it.
float4 LandscapeSeen(LandscapeView v, float3 cylinder, float2 grid, float2 margin, out float3 normal)
{
    float4 colour = 0.0;
    normal = 0.0;
    float3 ray = v.spot - v.eye;
    float half_room = 0.5 * (cylinder.z - cylinder.y);
    // At first the plant is taken for the outline of an ellipsoid, which has a flat border.
    float3 border = v.eye / float3(cylinder.xx * cylinder.xx, half_room * half_room);
    float3 guess = v.eye - dot(v.eye, border) / dot(ray, border) * ray;
    float sphere = length(float2(cylinder.x, half_room));
    [unroll] for (int i = 0; i < 3; i++)
    {
        float2 cell = i == 0 ? v.cells.xy : i == 1 ? v.cells.zw : v.cells.xy + 1.0;
        float share = i == 0 ? v.shares.x : i == 1 ? v.shares.y : v.shares.z;
        float3 ahead = LandscapeDirection(cell, grid.x);
        float3 right = LandscapeRight(ahead), upward = cross(ahead, right);
        float2 half_size = float2(cylinder.x, LandscapeHalf(ahead, cylinder));
        float depth = dot(guess, ahead);
        float2 seen = 0.0, at = 0.0, along = 0.0, down = 0.0;
        float4 form = 0.0;
        [unroll] for (int nearer = 0; nearer < 3; nearer++)
        {
            float3 meets = v.eye + (depth - dot(v.eye, ahead)) / dot(ray, ahead) * ray;
            seen = float2(dot(meets, right), dot(meets, upward)) / half_size;
            at = (cell + 0.5 + 0.5 * (1.0 - 2.0 * margin) * float2(seen.x, -seen.y)) / grid.x;
            // Pictures begin with their lowest row here.
            at.y = 1.0 - (at.y + v.shares.w) / grid.y;
            if (nearer == 0)
            {
                along = ddx(at);
                down = ddy(at);
            }
            form = LANDSCAPE_SURFACE(at, along, down);
            depth = sphere * (2.0 * form.a - 1.0);
        }
        float4 texel = LANDSCAPE_PICTURE(at, along, down);
        texel.a *= max(abs(seen.x), abs(seen.y)) > 1.0 ? 0.0 : share;
        colour += float4(texel.rgb * texel.a, texel.a);
        normal += texel.a * (2.0 * form.rgb - 1.0);
    }
    colour.rgb /= max(colour.a, 1e-4);
    return colour;
}

#endif
