import { pathText } from '#lib/json-text.ts';
import { issuesOf, shown } from '#protocol/core/issue.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { parseJson } from '#recordings/files/json.ts';
import { isSecretName } from '#recordings/format/named-secrets.ts';
import { PROFILES } from '#text/simulated-model.ts';
import { isRunMeasureId } from './measures.ts';
import {
  MAX_RUNS_IN_ALL,
  type Plan,
  type PlanConfiguration,
  planSchema,
  runsInAll,
  type Threshold,
} from './plan.ts';

const LIMITS = { depth: 12, values: 20_000 };

/** A fault of a plan, such as `configurations[1].server: expected …, got …`. */
export interface PlanProblem {
  /** Empty for the whole plan. */
  path: string;
  message: string;
}

export type PlanReading =
  | { plan: Plan; problems: readonly [] }
  | { plan: null; problems: readonly PlanProblem[] };

export const describeProblem = ({ path, message }: PlanProblem): string =>
  path === '' ? message : `${path}: ${message}`;

/** Parses a plan from JSON and fills in defaults, or returns all its problems. Never throws. */
export function readPlan(text: string): PlanReading {
  let value: unknown;
  try {
    value = parseJson(text, LIMITS);
  } catch (error) {
    return failed([{ path: '', message: error instanceof Error ? error.message : String(error) }]);
  }
  return checkPlan(value);
}

/** Validates a parsed plan; see {@link readPlan}. */
export function checkPlan(value: unknown): PlanReading {
  const parsed = planSchema.safeParse(value);
  if (!parsed.success) {
    const issues = issuesOf(parsed.error, value);
    return failed(
      parsed.error.issues.map((issue, at) => ({
        path: pathText(issue.path),
        message:
          issue.code === 'unrecognized_keys'
            ? unknownFields(issue.keys)
            : `expected ${issues[at]?.expected ?? issue.message}, got ${issues[at]?.found ?? 'this'}`,
      })),
    );
  }
  const plan = parsed.data;
  const problems = [
    ...twice(plan.texts, 'texts'),
    ...twice(plan.configurations, 'configurations'),
    ...plan.configurations.flatMap((configuration, at) => configurationProblems(plan, configuration, at)),
    ...measureProblem(plan.measure, 'measure'),
    ...plan.thresholds.flatMap((threshold, at) => thresholdProblems(plan, threshold, `thresholds[${at}]`)),
    ...tooMany(plan),
  ];
  return problems.length > 0 ? failed(problems) : { plan, problems: [] };
}

const failed = (problems: readonly PlanProblem[]): PlanReading => ({ plan: null, problems });

const unknownFields = (fields: readonly string[]): string =>
  fields.some(isSecretName)
    ? 'a plan holds no key; name the environment variable that does in keyFrom'
    : `there is no field ${fields.map((field) => JSON.stringify(field)).join(', ')} here`;

function twice(named: readonly { name: string }[], list: string): PlanProblem[] {
  return named.flatMap(({ name }, at) =>
    named.findIndex((other) => other.name === name) < at
      ? [{ path: `${list}[${at}].name`, message: `${JSON.stringify(name)} is there twice` }]
      : [],
  );
}

const tooMany = (plan: Plan): PlanProblem[] =>
  runsInAll(plan) > MAX_RUNS_IN_ALL
    ? [
        {
          path: 'runs',
          message: `this makes ${runsInAll(plan)} runs, and a plan has at most ${MAX_RUNS_IN_ALL}`,
        },
      ]
    : [];

function configurationProblems(plan: Plan, configuration: PlanConfiguration, at: number): PlanProblem[] {
  const path = `configurations[${at}]`;
  const endpoint = ENDPOINTS.find(({ id }) => id === configuration.endpoint);
  if (!endpoint) {
    const ids = ENDPOINTS.map(({ id }) => JSON.stringify(id)).join(', ');
    const got = shown(configuration.endpoint);
    return [{ path: `${path}.endpoint`, message: `expected one of ${ids}, got ${got}` }];
  }
  const problems: PlanProblem[] = [];
  const server = serverProblem(
    configuration.server,
    endpoint.servers.map(({ id }) => id),
  );
  if (server) problems.push({ path: `${path}.server`, message: server });
  for (const part of ['settings', 'speaker'] as const) {
    const secret = Object.keys(configuration[part]).find(
      (field) => isSecretName(field) || endpoint.reservedFields.includes(field),
    );
    if (secret !== undefined) {
      problems.push({
        path: `${path}.${part}.${secret}`,
        message: 'a plan holds no key; name the environment variable that does in keyFrom',
      });
    }
  }
  const issues = endpoint.checkSettings(configuration.settings);
  problems.push(...inSettings(issues, `${path}.settings`));
  if (endpoint.contexts) {
    problems.push(...inSettings(endpoint.contexts.checkSettings(configuration.speaker), `${path}.speaker`));
  } else if (Object.keys(configuration.speaker).length > 0) {
    problems.push({
      path: `${path}.speaker`,
      message: `${endpoint.id} has a single context, so that all settings belong in settings`,
    });
  }
  const { source } = configuration;
  if (source.kind === 'simulated' && typeof source.profile === 'string') {
    const ids = PROFILES.map(({ id }) => id);
    if (!ids.includes(source.profile)) {
      problems.push({
        path: `${path}.source.profile`,
        message: `expected one of ${ids.map((id) => JSON.stringify(id)).join(', ')} or a whole profile, got ${shown(source.profile)}`,
      });
    }
  }
  plan.texts.forEach(({ text }, textAt) => {
    if (text.length > endpoint.limits.textChars) {
      problems.push({
        path: `texts[${textAt}].text`,
        message: `${endpoint.id} takes at most ${endpoint.limits.textChars} characters, and these are ${text.length}`,
      });
    }
  });
  return problems;
}

const inSettings = (
  issues: readonly { path: string; expected: string; found: string }[],
  path: string,
): PlanProblem[] =>
  issues.map((issue) => ({
    path: issue.path === '' ? path : `${path}.${issue.path}`,
    message: `expected ${issue.expected}, got ${issue.found}`,
  }));

/** A server is the id of a known one, or a WebSocket address without credentials. */
function serverProblem(server: string, ids: readonly string[]): string | null {
  if (ids.includes(server)) return null;
  const expected = `expected one of ${ids.map((id) => JSON.stringify(id)).join(', ')} or an address such as "wss://tts.example.com"`;
  let url: URL;
  try {
    url = new URL(server);
  } catch {
    return `${expected}, got ${shown(server)}`;
  }
  if (url.protocol !== 'ws:' && url.protocol !== 'wss:') return `${expected}, got one of ${url.protocol}//`;
  if (url.username || url.password || url.search || url.hash) {
    return 'expected an address of host and path alone; a key is named in keyFrom';
  }
  return null;
}

const measureProblem = (id: string, path: string): PlanProblem[] =>
  isRunMeasureId(id)
    ? []
    : [{ path, message: `expected the id of a measure, such as "waitMs", got ${shown(id)}` }];

function thresholdProblems(plan: Plan, threshold: Threshold, path: string): PlanProblem[] {
  const problems = measureProblem(threshold.measure, `${path}.measure`);
  if (threshold.max === undefined && threshold.min === undefined) {
    problems.push({ path, message: 'expected a max, a min or both, got neither' });
  }
  const { configuration } = threshold;
  if (configuration !== undefined && !plan.configurations.some(({ name }) => name === configuration)) {
    problems.push({
      path: `${path}.configuration`,
      message: `there is no configuration named ${JSON.stringify(configuration)}`,
    });
  }
  if (
    threshold.connection !== undefined &&
    plan.connections !== 'both' &&
    plan.connections !== threshold.connection
  ) {
    problems.push({
      path: `${path}.connection`,
      message: `no run of this plan is on a ${threshold.connection} connection`,
    });
  }
  return problems;
}
