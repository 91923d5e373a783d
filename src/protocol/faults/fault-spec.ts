import { shown } from '../core/issue.ts';
import { FAULTS, type FaultName, type FaultValue, faultForm, faultKind } from './fault-table.ts';

/** One fault of a specification. */
export interface Fault {
  name: FaultName;
  value: number | string | null;
  /** The `n` of `@n`. */
  at: number | null;
  /** Behind a colon: it strikes the first connection of a client only. */
  only: typeof FIRST | null;
}

export const FIRST = 'first' as const;

/** Why a specification cannot be read. */
export interface FaultProblem {
  /** Place of the first wrong character, from 0. */
  at: number;
  expected: string;
  found: string;
}

/** A longer specification is no work of a person. */
const MAX_SPEC_CHARS = 2000;
const MAX_PLACE = 1_000_000;

/**
 * Reads a specification: faults with commas between them, such as `latency=200,stall=3000@2`.
 * @param errors names that `error=NAME@n` accepts; without them any name
 */
export function parseFaults(
  text: string,
  errors?: readonly string[],
): { faults: Fault[] } | { problem: FaultProblem } {
  if (text.length > MAX_SPEC_CHARS) {
    const expected = `at most ${MAX_SPEC_CHARS} characters`;
    return { problem: { at: MAX_SPEC_CHARS, expected, found: `${text.length}` } };
  }
  const faults: Fault[] = [];
  const seen = new Set<string>();
  let start = 0;
  for (const item of text.split(',')) {
    const read = parseFault(item, errors);
    if ('problem' in read) return { problem: { ...read.problem, at: start + read.problem.at } };
    const once = `${read.name}@${read.at}`;
    if (seen.has(once)) {
      const expected = read.at === null ? `${read.name} once` : `${read.name} once at ${read.at}`;
      return { problem: { at: start, expected, found: 'it again' } };
    }
    seen.add(once);
    faults.push(read);
    start += item.length + 1;
  }
  return { faults };
}

/** One item of a specification as it is typed, which may be wrong. Null without the sign of a part. */
export type FaultItem = { [Part in keyof Fault]: string | Extract<Fault[Part], null> };

/** Reads the parts of any text. `formatFault` writes the text again. */
export function faultItem(text: string): FaultItem {
  const parts = /^([^=@:]*)(?:=([^@:]*))?(?:@([^:]*))?(?::(.*))?$/s.exec(text) ?? [];
  const [, name = '', value = null, at = null, only = null] = parts;
  return { name, value, at, only };
}

/** Writes one item of a specification. A comma joins items. */
export const formatFault = ({ name, value, at, only }: Fault | FaultItem): string =>
  `${name}${value === null ? '' : `=${value}`}${at === null ? '' : `@${at}`}${only === null ? '' : `:${only}`}`;

/** The problem as a sentence for people. Characters count from 1. */
export const describeFaultProblem = ({ at, expected, found }: FaultProblem): string =>
  `faults, character ${at + 1}: expected ${expected}, got ${found}`;

/** The value of a fault without a place; undefined where it is not among these. */
export const faultValue = (faults: readonly Fault[], name: FaultName): number | string | undefined =>
  faults.find((fault) => fault.name === name)?.value ?? undefined;

/** The number of a fault without a place; 0 where it is not among these. */
export const faultNumber = (faults: readonly Fault[], name: FaultName): number =>
  Number(faultValue(faults, name) ?? 0);

type ReadFault = Fault | { problem: FaultProblem };

function parseFault(item: string, errors: readonly string[] | undefined): ReadFault {
  const { name: written, value, at: place, only } = faultItem(item);
  const wrong = (at: number, expected: string, found: string): ReadFault => ({
    problem: { at, expected, found },
  });
  if (!isFaultName(written))
    return wrong(0, `one of ${NAMES.join(', ')}`, item === '' ? 'nothing' : shown(written));
  const kind = faultKind(written);
  const form = faultForm(written);
  const valueAt = written.length + 1;
  if ((kind.value === null) !== (value === null)) return wrong(written.length, form, shown(item));
  const read = kind.value && readValue(kind.value, value ?? '', errors);
  if (read === undefined) {
    const names = kind.value?.unit === 'NAME' && errors ? `one of ${errors.join(', ')}` : kind.range;
    return wrong(valueAt, `${form} with ${names}`, value === '' ? 'nothing' : shown(value));
  }
  if (only !== null && !(only === FIRST && !kind.isSetting)) {
    const expected = kind.isSetting ? form : `${form}, or ${form}:${FIRST} for the first connection only`;
    return wrong(item.indexOf(':'), expected, shown(item));
  }
  const placeAt = valueAt + (value === null ? 0 : value.length + 1);
  if ((kind.at === null) !== (place === null)) return wrong(placeAt - 1, form, shown(item));
  const fault = { name: written, value: read, only };
  if (place === null) return { ...fault, at: null };
  const at = wholeNumber(place, 1, MAX_PLACE);
  if (at === undefined) {
    const found = place === '' ? 'nothing' : shown(place);
    return wrong(placeAt, `${form} with the number of ${articled(kind.at)} from 1 to ${MAX_PLACE}`, found);
  }
  return { ...fault, at };
}

/** Undefined for a value that the fault does not accept. */
function readValue(
  value: FaultValue,
  text: string,
  errors: readonly string[] | undefined,
): number | string | undefined {
  if (value.unit === 'NAME' && errors) return errors.includes(text) ? text : undefined;
  if ('pattern' in value) return value.pattern.test(text) ? text : undefined;
  const number = wholeNumber(text, value.min, value.max);
  return number === undefined || value.allows?.(number) === false ? undefined : number;
}

/** Without signs, blanks and leading zeros, so that each number is written in one way. */
function wholeNumber(text: string, min: number, max: number): number | undefined {
  const number = /^(?:0|[1-9]\d{0,9})$/.test(text) ? Number(text) : Number.NaN;
  return number >= min && number <= max ? number : undefined;
}

const NAMES = Object.keys(FAULTS) as FaultName[];
const isFaultName = (text: string): text is FaultName => Object.hasOwn(FAULTS, text);
const articled = (place: string | null): string =>
  place === 'audio frame' ? 'an audio frame' : `a ${place}`;
