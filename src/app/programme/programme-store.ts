import { z } from '#protocol/core/zod.ts';
import { persisted, storageSlot } from '../browser/persisted.ts';
import { useAdded } from '../stores/view-store.ts';
import {
  type ItemContent,
  keptProgrammeSchema,
  MAX_TITLE_CHARS,
  numbered,
  type Programme,
  type ProgrammeContent,
} from './programme.ts';
import { roomFor, withItems } from './programme-edits.ts';
import { SHIPPED } from './shipped.ts';

const MAX_OWN_PROGRAMMES = 30;

/** Number of no programme: the stage speaks the text of the studio. */
export const STUDIO_TEXT = 0;

const STORAGE_NAME = 'voicewire.programmes';

const keptProgrammes = z.object({
  /** A damaged programme is left out, and the others stay. */
  own: z.catch(
    z.pipe(
      z.array(z.catch(z.nullable(keptProgrammeSchema), null)),
      z.transform((read) => read.filter((programme) => programme !== null).slice(0, MAX_OWN_PROGRAMMES)),
    ),
    [],
  ),
  chosen: z.catch(z.int(), STUDIO_TEXT),
  /** A voice that is chosen on the stage cuts off the one that speaks. */
  switchesAtOnce: z.catch(z.boolean(), true),
});

type Kept = z.output<typeof keptProgrammes>;

const anyProgrammes = z.object({ state: z.object({ own: z.array(z.unknown()) }) });

const countDamaged = (): number =>
  (storageSlot(STORAGE_NAME, anyProgrammes).load()?.state.own ?? []).filter(
    (one) => !keptProgrammeSchema.safeParse(one).success,
  ).length;

interface Damage {
  /** Stored programmes that could not be read; 0 once the person has dismissed the notice. */
  damaged: number;
}

/** The programmes of this browser. */
export const useProgrammes = persisted<typeof keptProgrammes, Damage>(STORAGE_NAME, keptProgrammes, () => ({
  damaged: countDamaged(),
}));

/** Returns all programmes, a person's own first. */
export const allProgrammes = ({ own }: Pick<Kept, 'own'>): readonly Programme[] => [...own, ...SHIPPED];

/** Returns the programme of the stage; null for the text of the studio. */
export const selectProgramme = (state: Pick<Kept, 'own' | 'chosen'>): Programme | null =>
  state.own.find(({ id }) => id === state.chosen) ?? SHIPPED.find(({ id }) => id === state.chosen) ?? null;

export const isShipped = ({ id }: Pick<Programme, 'id'>): boolean => id < 0;

export const chooseProgramme = (chosen: number): void => useProgrammes.setState({ chosen });

const nextId = (own: readonly Programme[]): number =>
  own.reduce((highest, { id }) => Math.max(highest, id), 0) + 1;

/** Returns a name that no other programme of the person has. */
function freeName(own: readonly Programme[], wanted: string): string {
  const taken = new Set(own.map(({ name }) => name));
  let name = wanted;
  for (let number = 2; taken.has(name); number += 1)
    name = `${wanted.slice(0, MAX_TITLE_CHARS - String(number).length - 1)} ${number}`;
  return name;
}

/** Returns why no further programme can be kept; null if one can. */
const programmeRoom = ({ own }: Pick<Kept, 'own'>): string | null =>
  own.length < MAX_OWN_PROGRAMMES
    ? null
    : `This browser keeps ${MAX_OWN_PROGRAMMES} programmes. Delete one to make room for another.`;

/** Adds a programme and chooses it. Returns why it is refused, or null. */
export function addProgramme(content: ProgrammeContent): string | null {
  const state = useProgrammes.getState();
  const refusal = programmeRoom(state);
  if (refusal !== null) return refusal;
  const programme = numbered(nextId(state.own), { ...content, name: freeName(state.own, content.name) });
  useProgrammes.setState({ own: [...state.own, programme], chosen: programme.id });
  return null;
}

export const EMPTY_PROGRAMME: ProgrammeContent = {
  name: 'My demo',
  auto: true,
  pauseMs: 1000,
  loop: true,
  items: [],
};

/** Changes the programme of the stage. A shipped one is copied first. Returns why not, or null. */
export function editProgramme(change: (of: Programme) => Programme): string | null {
  const state = useProgrammes.getState();
  const before = selectProgramme(state);
  if (!before) return 'There is no programme to change.';
  const after = change(before);
  if (after === before) return null;
  if (!isShipped(before)) {
    useProgrammes.setState({ own: state.own.map((one) => (one === before ? after : one)) });
    return null;
  }
  const refusal = programmeRoom(state);
  if (refusal !== null) return refusal;
  const id = nextId(state.own);
  // The items keep their numbers, so that a run of the programme goes on.
  useProgrammes.setState({
    own: [...state.own, { ...after, id, name: freeName(state.own, after.name) }],
    chosen: id,
  });
  return null;
}

export function deleteProgramme(id: number): void {
  const { own, chosen } = useProgrammes.getState();
  useProgrammes.setState({
    own: own.filter((programme) => programme.id !== id),
    ...(chosen === id ? { chosen: STUDIO_TEXT } : {}),
  });
}

/**
 * Adds items to the person's programme: the chosen one, else the newest, else a new one. Chooses it.
 * Returns why they are refused, or null.
 */
export function addItems(items: readonly ItemContent[]): string | null {
  const state = useProgrammes.getState();
  const target = state.own.find(({ id }) => id === state.chosen) ?? state.own.at(-1);
  const refusal = roomFor(target ?? EMPTY_PROGRAMME, items.length);
  if (refusal !== null) return refusal;
  if (!target) return addProgramme({ ...EMPTY_PROGRAMME, items: [...items] });
  useProgrammes.setState({
    own: state.own.map((one) => (one === target ? withItems(target, items) : one)),
    chosen: target.id,
  });
  return null;
}

export const noteRefusal = (refusal: string): void => useAdded.setState({ added: { refusal } });

/** {@link addItems} from outside of the stage: a note says whether it was added. */
export function addNoted(item: ItemContent): void {
  const refusal = addItems([item]);
  const programme = selectProgramme(useProgrammes.getState());
  if (refusal !== null || !programme) noteRefusal(refusal ?? 'There is no programme.');
  else useAdded.setState({ added: { place: programme.items.length, programme: programme.name } });
}
