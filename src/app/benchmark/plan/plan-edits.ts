import { MAX_CONFIGURATIONS, type Plan, type PlanConfiguration, planSchema } from '#benchmark/plan.ts';
import { deepEqual } from '#lib/deep-equal.ts';
import { excerptOf } from '#lib/format.ts';
import { PAGE_ENDPOINTS } from '#protocol/registry.ts';
import { SAMPLE_TEXTS } from '#text/samples.ts';
import { plainServer } from '../../stores/plain-server.ts';
import { castOf, useScene } from '../../stores/scene-store.ts';
import { type PageSettings, selectEndpoint, selectSettings } from '../../stores/settings-store.ts';

/** Short enough that a first benchmark is over in a minute. */
const FIRST_TEXT = 'Good morning. Your table is booked for half past seven.';
const FIRST_RUNS = 10;

/** The plan of a first visit: a short text under the studio's settings. */
export const firstPlan = (page: PageSettings): Plan =>
  planSchema.parse({
    version: 1,
    name: 'Benchmark',
    texts: [{ name: 'Greeting', text: FIRST_TEXT }],
    configurations: [currentConfiguration(page, [])],
    runs: FIRST_RUNS,
  });

/** @param name the wanted name, which gets a number where it is taken */
export function currentConfiguration(
  page: PageSettings,
  taken: readonly string[],
  name = 'Current',
): PlanConfiguration {
  const endpoint = selectEndpoint(page);
  const server = plainServer(page);
  const [speaker] = castOf(useScene.getState(), endpoint);
  return {
    name: freeName(name, taken),
    endpoint: endpoint.id,
    server: 'id' in server ? server.id : server.address,
    keyFrom: null,
    settings: { ...selectSettings(page) },
    speaker: { ...speaker?.settings },
    source: { kind: 'whole' },
  };
}

/** Adds a configuration of each endpoint that the plan lacks, as it is set up in the studio. */
export function withAllEndpoints(plan: Plan, page: PageSettings): Plan {
  const known = new Set(plan.configurations.map(({ endpoint }) => endpoint));
  const added = PAGE_ENDPOINTS.filter(({ id }) => !known.has(id)).map(({ id, title }) =>
    currentConfiguration({ ...page, endpoint: id }, namesOf(plan.configurations), title),
  );
  return { ...plan, configurations: [...plan.configurations, ...added].slice(0, MAX_CONFIGURATIONS) };
}

export const namesOf = (named: readonly { name: string }[]): string[] => named.map(({ name }) => name);

/** Returns the name, or the first of `name 2`, `name 3`, … that is free. */
export function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  const stem = name.replace(/ \d+$/, '');
  for (let number = 2; ; number += 1) {
    const next = `${stem} ${number}`;
    if (!taken.includes(next)) return next;
  }
}

export const changedAt = <T>(items: readonly T[], at: number, change: Partial<T>): T[] =>
  items.map((each, index) => (index === at ? { ...each, ...change } : each));

export const removedAt = <T>(items: readonly T[], at: number): T[] =>
  items.filter((_, index) => index !== at);

export function withCopy(plan: Plan, at: number): Plan {
  const original = plan.configurations[at];
  if (!original) return plan;
  const copy = { ...original, name: freeName(original.name, namesOf(plan.configurations)) };
  return {
    ...plan,
    configurations: [...plan.configurations.slice(0, at + 1), copy, ...plan.configurations.slice(at + 1)],
  };
}

export const withSample = (plan: Plan, id: string): Plan => {
  const sample = SAMPLE_TEXTS.find((each) => each.id === id);
  if (!sample) return plan;
  const text = { name: freeName(sample.title, namesOf(plan.texts)), text: sample.text };
  return { ...plan, texts: [...plan.texts, text] };
};

/** Describes how a configuration differs from the first; null if only its name does. */
export function changesFrom(first: PlanConfiguration, other: PlanConfiguration): string | null {
  const changes: string[] = [];
  if (first.endpoint !== other.endpoint) changes.push(other.endpoint);
  if (first.server !== other.server) changes.push(other.server);
  for (const part of ['settings', 'speaker'] as const) {
    const fields = new Set([...Object.keys(first[part]), ...Object.keys(other[part])]);
    for (const field of fields) {
      const value = other[part][field];
      if (deepEqual(first[part][field], value)) continue;
      changes.push(value === undefined ? `${field} not sent` : `${field} ${shownValue(value)}`);
    }
  }
  if (!deepEqual(first.source, other.source)) {
    changes.push(other.source.kind === 'whole' ? 'whole text at once' : 'simulated model');
  }
  return changes.length === 0 ? null : changes.join(', ');
}

const MAX_VALUE_CHARS = 32;

const shownValue = (value: unknown): string =>
  excerptOf(typeof value === 'string' ? value : JSON.stringify(value), MAX_VALUE_CHARS);

/** Pairs items with their index, which is their React key because names change while they are typed. */
export const placed = <T>(items: readonly T[]): { item: T; at: number }[] =>
  items.map((item, at) => ({ item, at }));
