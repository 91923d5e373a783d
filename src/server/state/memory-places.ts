import type { Places, WantedPlace } from './state.ts';

const nameOf = ({ kind, name }: WantedPlace): string => `${kind} ${name}`;

/** Places of the sessions of this process. */
export function createMemoryPlaces(): Places {
  const counts = new Map<string, number>();
  const taken = (wanted: WantedPlace): number => counts.get(nameOf(wanted)) ?? 0;
  const count = (wanted: WantedPlace, change: 1 | -1): void => {
    const left = taken(wanted) + change;
    if (left > 0) counts.set(nameOf(wanted), left);
    else counts.delete(nameOf(wanted));
  };
  return {
    async take(wanted) {
      const full = wanted.find((each) => taken(each) >= each.limit);
      if (full) return { full, taken: taken(full) };
      const last = wanted.at(-1);
      const others = last ? taken(last) : 0;
      for (const each of wanted) count(each, 1);
      let hasLeft = false;
      return {
        taken: others,
        leave() {
          if (hasLeft) return;
          hasLeft = true;
          for (const each of wanted) count(each, -1);
        },
      };
    },
  };
}
