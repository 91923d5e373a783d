import { memoiseLast } from '#lib/memoise.ts';
import type { ContextView } from '#session/views.ts';
import { contextIdOf } from '#text/script.ts';
import type { CastMember } from '../stores/scene-store.ts';
import { HUES, voiceHue } from '../ui/voice-hue.ts';

/**
 * Returns the hue of each context. One outside of the cast has the hue of its name, or the next one that no earlier context
 * has, while there is one.
 * @param contexts in order of appearance, so that a new one changes no other
 */
export const contextHues = memoiseLast(
  (contexts: readonly Pick<ContextView, 'id'>[], cast: readonly CastMember[]) => {
    const hues = new Map(cast.map(({ name, hue }) => [contextIdOf(name), hue]));
    const taken = new Set(contexts.map(({ id }) => hues.get(id)));
    for (const { id } of contexts) {
      if (hues.has(id)) continue;
      let hue = voiceHue(id);
      for (let step = 0; step < HUES && taken.has(hue); step += 1) hue = (hue % HUES) + 1;
      hues.set(id, hue);
      taken.add(hue);
    }
    return (context: string): number => hues.get(context) ?? voiceHue(context);
  },
);
