// The colour of a far plant in Unreal, with its cover and its normal: three views around the direction of the eye, blended.
// Eye is seen from the foot of the plant, Ray from the eye; East and Up are axes of the plant, as long as its scale.
float size = length(Up);
float3 north = cross(East, Up) / size;
float3 away = Eye - 50.0 * (Cylinder.y + Cylinder.z) * Up;
float3 still = Ray - Sway;
float per = 1.0 / (100.0 * size * size);
float3 eye = per * float3(dot(away, East), dot(away, north), dot(away, Up));
float3 ray = per * float3(dot(still, East), dot(still, north), dot(still, Up));
float3 face = normalize(eye);
float2 folded = face.xy / (abs(face.x) + abs(face.y) + max(face.z, 0.0));
float2 place = (float2(folded.x + folded.y, folded.x - folded.y) * 0.5 + 0.5) * (Grid.x - 1.0);
float2 first = clamp(floor(place), float2(0.0, 0.0), float2(Grid.x - 2.0, Grid.x - 2.0));
float2 within = place - first;
float most = max(within.x, within.y);
float least = min(within.x, within.y);
float variant = floor(UV.y * Grid.y);
// At first the plant is taken for the outline of an ellipsoid, which has a flat border.
float room = 0.5 * (Cylinder.z - Cylinder.y);
float3 border = eye / float3(Cylinder.x * Cylinder.x, Cylinder.x * Cylinder.x, room * room);
float3 guess = eye - dot(eye, border) / dot(ray, border) * ray;
float sphere = length(float2(Cylinder.x, room));
float4 colour = float4(0.0, 0.0, 0.0, 0.0);
float3 bump = float3(0.0, 0.0, 0.0);
[unroll] for (int i = 0; i < 3; i++)
{
    float2 side = within.x > within.y ? float2(1.0, 0.0) : float2(0.0, 1.0);
    float2 cell = first + (i == 0 ? float2(0.0, 0.0) : i == 1 ? side : float2(1.0, 1.0));
    float share = i == 0 ? 1.0 - most : i == 1 ? most - least : least;
    float2 at = cell / (Grid.x - 1.0) * 2.0 - 1.0;
    float2 flat_ = float2(at.x + at.y, at.x - at.y) * 0.5;
    float3 ahead = normalize(float3(flat_.x, flat_.y, 1.0 - abs(flat_.x) - abs(flat_.y)));
    float level = length(ahead.xy);
    float3 right = level > 0.0001 ? float3(-ahead.y, ahead.x, 0.0) / level : float3(1.0, 0.0, 0.0);
    float3 upward = cross(ahead, right);
    float2 reach = float2(Cylinder.x, level * room + abs(ahead.z) * Cylinder.x);
    float depth = dot(guess, ahead);
    float2 seen = float2(0.0, 0.0);
    float2 along = float2(0.0, 0.0);
    float2 down = float2(0.0, 0.0);
    float4 form = float4(0.0, 0.0, 0.0, 0.0);
    [unroll] for (int nearer = 0; nearer < 3; nearer++)
    {
        float3 meets = eye + (depth - dot(eye, ahead)) / dot(ray, ahead) * ray;
        seen = float2(dot(meets, right), dot(meets, upward)) / reach;
        at = (cell + 0.5 + 0.5 * (1.0 - 2.0 * Margin.xy) * float2(seen.x, -seen.y)) / Grid.x;
        at.y = (at.y + variant) / Grid.y;
        if (nearer == 0)
        {
            along = ddx(at);
            down = ddy(at);
        }
        form = Texture2DSampleGrad(Surface, SurfaceSampler, at, along, down);
        depth = sphere * (2.0 * form.a - 1.0);
    }
    float4 texel = Texture2DSampleGrad(Picture, PictureSampler, at, along, down);
    float cover = max(abs(seen.x), abs(seen.y)) > 1.0 ? 0.0 : share * texel.a;
    colour += float4(cover * texel.rgb, cover);
    bump += cover * (2.0 * form.rgb - 1.0);
}
Cover = colour.a < Cutoff ? 0.0 : 1.0;
Bump = normalize(bump.x * East + bump.y * north + (bump.z + 0.0001) * Up);
return colour.rgb / max(colour.a, 0.0001);
