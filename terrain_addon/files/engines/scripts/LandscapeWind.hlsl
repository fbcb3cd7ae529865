// How wind moves a plant, in shares of its height, for a wind in metres a second to the east and to the north.
// branch.x is the phase of a branch, branch.y how far the whole plant sways there, flutter how far the branch does.
#ifndef LANDSCAPE_WIND_INCLUDED
#define LANDSCAPE_WIND_INCLUDED

static const float LandscapeTurn = 6.2831853;
static const float LandscapeUsualWind = 10.0; // metres a second, in which a top sways by these shares of its height
static const float LandscapeSway = 0.02;
static const float LandscapeFlutter = 0.006;

float3 LandscapeMove(float2 branch, float flutter, float3 foot, float2 wind, float seconds)
{
    // Neighbours do not swing in step: a gust takes a second for ten metres.
    float start = dot(foot.xz, float2(0.1, 0.07));
    float lean = 0.6 + sin(LandscapeTurn * (0.31 * seconds - start))
        * (0.65 + 0.35 * sin(LandscapeTurn * 0.113 * seconds - start));
    float across = sin(LandscapeTurn * (0.425 * seconds + 0.25) - start);
    float swing = sin(LandscapeTurn * (1.7 * seconds + branch.x));
    float3 along = float3(wind.x, 0.0, wind.y) / LandscapeUsualWind;
    float3 beside = float3(-along.z, 0.0, along.x);
    float3 move = along * (LandscapeSway * lean * branch.y + LandscapeFlutter * swing * flutter);
    move += beside * (0.4 * LandscapeSway * across * branch.y);
    move.y += 0.7 * LandscapeFlutter * swing * flutter * length(along);
    return move;
}

#endif
