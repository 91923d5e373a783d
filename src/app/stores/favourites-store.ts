import { z } from '#protocol/core/zod.ts';
import { persisted } from '../browser/persisted.ts';

const MAX_FAVOURITES = 200;
const MAX_KEY_CHARS = 500;

const keys = z.array(z.string().check(z.maxLength(MAX_KEY_CHARS))).check(z.maxLength(MAX_FAVOURITES));

const keptFavourites = z.object({
  /** Keys of voices by vendor, because the endpoints of a vendor have the same voices. */
  voices: z.catch(z.record(z.string(), keys), {}),
  /** Descriptions that a person wrote, by vendor. */
  descriptions: z.catch(z.record(z.string(), keys), {}),
  /** The sentence that every voice of the gallery says. */
  sentence: z.catch(z.nullable(z.string().check(z.maxLength(MAX_KEY_CHARS))), null),
});

type Kept = z.output<typeof keptFavourites>;

export const useFavourites = persisted('voicewire.favourites', keptFavourites, () => ({}));

const NONE: readonly string[] = [];

export const selectFavourites =
  (vendor: string) =>
  ({ voices }: Pick<Kept, 'voices'>): readonly string[] =>
    voices[vendor] ?? NONE;

export const selectDescriptions =
  (vendor: string) =>
  ({ descriptions }: Pick<Kept, 'descriptions'>): readonly string[] =>
    descriptions[vendor] ?? NONE;

/** Adds a favourite, or removes it. At the limit nothing is added. */
export function toggleFavourite(vendor: string, key: string): void {
  const { voices } = useFavourites.getState();
  const before = voices[vendor] ?? [];
  const after = before.includes(key) ? before.filter((other) => other !== key) : [...before, key];
  if (after.length <= MAX_FAVOURITES && key.length <= MAX_KEY_CHARS)
    useFavourites.setState({ voices: { ...voices, [vendor]: after } });
}

/** Adds a description as a voice. At the limit the oldest one goes. */
export function addDescription(vendor: string, text: string): void {
  const { descriptions } = useFavourites.getState();
  const others = (descriptions[vendor] ?? []).filter((other) => other !== text);
  useFavourites.setState({
    descriptions: { ...descriptions, [vendor]: [...others, text].slice(-MAX_FAVOURITES) },
  });
}

export function removeDescription(vendor: string, text: string): void {
  const { descriptions } = useFavourites.getState();
  useFavourites.setState({
    descriptions: { ...descriptions, [vendor]: (descriptions[vendor] ?? []).filter((one) => one !== text) },
  });
}
