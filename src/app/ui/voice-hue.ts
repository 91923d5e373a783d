/** How many hues the tokens offer voices. */
const HUES = 6;

/** The hue of a voice, 1 to 6: the same for the same voice wherever it is shown, and different for neighbours by number. */
export function voiceHue(id: string | number): number {
  const text = String(id);
  // A number's own order keeps voices that stand side by side in a list apart; the offset is taste.
  if (/^\d{1,9}$/.test(text)) return ((Number(text) + 3) % HUES) + 1;
  let hash = 0;
  for (const character of text) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return (hash % HUES) + 1;
}
