/** Number of voice hues in the design tokens. */
export const HUES = 6;

/** Returns the hue of a voice, 1 to 6. Voices with successive numbers differ. */
export function voiceHue(id: string | number): number {
  const text = String(id);
  if (/^\d{1,9}$/.test(text)) return ((Number(text) + 3) % HUES) + 1;
  let hash = 0;
  for (const character of text) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return (hash % HUES) + 1;
}
