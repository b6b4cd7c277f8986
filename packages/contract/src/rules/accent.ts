/**
 * Readable shades of a site's accent colour for themes, mails and the pages of the sign-in service. The lightness changes as far
 * as WCAG 2.2 (1.4.3 and 1.4.6) requires, in OKLCH, a perceptually uniform space (https://bottosson.github.io/posts/oklab/).
 */

export type Background = {
  kind: 'light' | 'dark';
  /** Background colours of all surfaces that have text in the accent colour. The first is the background of cards and dialogs. */
  surfaces: readonly string[];
  highContrast?: boolean;
};

/** `text` is readable on `accent` and `hover`. `accent` is readable on `soft` and on the surfaces of the background. */
type AccentShades = { accent: string; hover: string; text: string; soft: string };

/** Derives the shades for a background. `accent` of the result is the given colour if that has enough contrast. */
export function deriveAccent(colour: string, { kind, surfaces, highContrast }: Background): AccentShades {
  const [lightness, chroma, hue] = toOklch(colour);
  const [card = '#ffffff'] = surfaces;
  const isDark = kind === 'dark';
  const step = isDark ? 0.01 : -0.01;
  const [cardLightness] = toOklch(card);
  const soft = toHex([cardLightness + (isDark ? 0.12 : -0.07), Math.min(chroma, isDark ? 0.05 : 0.03), hue]);
  const minimum = highContrast ? 7 : 4.5;
  let shade = lightness;
  let accent = colour.toLowerCase();
  const isUnreadable = () => [...surfaces, soft].some((surface) => contrast(accent, surface) < minimum);
  while (isUnreadable() && shade + step > 0 && shade + step < 1) {
    shade += step;
    accent = toHex([shade, chroma, hue]);
  }
  return {
    accent,
    hover: toHex([shade + step * 8, chroma, hue]),
    text: isDark ? '#000000' : '#ffffff',
    soft,
  };
}

/** Returns the contrast ratio of two colours, 1 to 21 (WCAG 2.2). */
export function contrast(first: string, second: string): number {
  const [dark = 0, light = 0] = [luminance(first), luminance(second)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

type Oklch = [lightness: number, chroma: number, hue: number];

function luminance(colour: string): number {
  const [red, green, blue] = toLinear(colour);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function toLinear(colour: string): [number, number, number] {
  const channel = (at: number) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

function toOklch(colour: string): Oklch {
  const [red, green, blue] = toLinear(colour);
  const long = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const medium = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const short = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  const a = 1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short;
  const b = 0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short;
  return [
    0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short,
    Math.hypot(a, b),
    Math.atan2(b, a),
  ];
}

/** Converts a colour from OKLCH to sRGB. Reduces the chroma of colours that sRGB cannot represent. */
function toHex([lightness, chroma, hue]: Oklch): string {
  const within = Math.min(1, Math.max(0, lightness));
  for (let tried = chroma; tried > 0; tried -= 0.004) {
    const channels = toRgb(within, tried, hue);
    if (channels.every((value) => value >= -0.001 && value <= 1.001)) return asHex(channels);
  }
  return asHex(toRgb(within, 0, hue));
}

function toRgb(lightness: number, chroma: number, hue: number): number[] {
  const a = chroma * Math.cos(hue);
  const b = chroma * Math.sin(hue);
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ].map((value) => (value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055));
}

function asHex(channels: number[]): string {
  const digits = channels.map((value) =>
    Math.round(Math.min(1, Math.max(0, value)) * 255)
      .toString(16)
      .padStart(2, '0'),
  );
  return `#${digits.join('')}`;
}
