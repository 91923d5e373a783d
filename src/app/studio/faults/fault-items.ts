import type { Protocol } from '#protocol/core/endpoint.ts';
import {
  type FaultItem,
  type FaultProblem,
  faultItem,
  formatFault,
  parseFaults,
} from '#protocol/faults/fault-spec.ts';
import { FAULTS, type FaultKind, type FaultName, type FaultValue } from '#protocol/faults/fault-table.ts';
import { withMark } from '../../stores/faults-store.ts';

/** Returns the items of a specification. Every text has items, and `specOf` returns the text again. */
export const itemsOf = (spec: string): FaultItem[] => (spec === '' ? [] : spec.split(',').map(faultItem));

const specOf = (items: readonly FaultItem[]): string => items.map(formatFault).join(',');

/** Returns the item that contains a place of the specification. A place at a comma belongs to the item before it. */
export function itemHolding(items: readonly FaultItem[], place: number): number {
  let end = -1;
  const found = items.findIndex((item) => {
    end += formatFault(item).length + 1;
    return place <= end;
  });
  return found < 0 ? items.length - 1 : found;
}

/** Returns the fault that an item names; null for another name. */
export const faultOf = ({ name }: FaultItem): (FaultKind & { name: FaultName }) | null =>
  Object.hasOwn(FAULTS, name) ? { ...FAULTS[name as FaultName], name: name as FaultName } : null;

/** A value to begin with, by unit. */
const FIRST_VALUES: Readonly<Record<FaultValue['unit'], string>> = {
  ms: '500',
  kbps: '256',
  code: '1011',
  status: '503',
  number: '7',
  name: 'my-app',
  NAME: '',
};
const FIRST_PLACE = 3;

/** Returns the specification with one more fault, at a place that no equal one has. @param error name for `error=NAME@n` */
export function withFault(spec: string, name: FaultName, error: string): string {
  const kind: FaultKind = FAULTS[name];
  const items = itemsOf(spec);
  const taken = new Set(items.filter((item) => item.name === name).map(({ at }) => at));
  let place = FIRST_PLACE;
  while (taken.has(String(place))) place += 1;
  const value = kind.value && (kind.value.unit === 'NAME' ? error : FIRST_VALUES[kind.value.unit]);
  return specOf([...items, { name, value, at: kind.at === null ? null : String(place), only: null }]);
}

/** Names that may be added: those without a place only once. */
export function addableFaults(spec: string): FaultName[] {
  const used = new Set(itemsOf(spec).map(({ name }) => name));
  const names = Object.keys(FAULTS) as FaultName[];
  // The page sets the mark by itself.
  return names.filter((name) => name !== 'mark' && (FAULTS[name].at !== null || !used.has(name)));
}

export function withItem(spec: string, place: number, change: Partial<FaultItem>): string {
  return specOf(itemsOf(spec).map((item, at) => (at === place ? { ...item, ...change } : item)));
}

export function withoutItem(spec: string, place: number): string {
  return specOf(itemsOf(spec).filter((_, at) => at !== place));
}

/** Returns why the specification cannot be used with the endpoint; null where it can. */
export function faultProblem(spec: string, { failures }: Pick<Protocol, 'failures'>): FaultProblem | null {
  const read = parseFaults(withMark(spec), failures.errors);
  return 'problem' in read ? read.problem : null;
}
