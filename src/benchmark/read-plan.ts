import { pathText } from '#lib/json-text.ts';
import { messageOf } from '#lib/message-of.ts';
import { type Issue, issuesOf, shown } from '#protocol/core/issue.ts';
import { PAGE_ENDPOINTS } from '#protocol/registry.ts';
import { PROFILES } from '#text/simulated-model.ts';
import { parseJson } from '#trace/files/json.ts';
import { isSecretName } from '#trace/secrets/named-secrets.ts';
import { isRunMeasureId } from './measures.ts';
import {
  connectionKinds,
  MAX_RUNS_IN_ALL,
  type Plan,
  type PlanConfiguration,
  planSchema,
  runsInAll,
  type Threshold,
} from './plan.ts';

/** Other files of Voicewire by their beginnings. */
const OTHERS: readonly (readonly [RegExp, string])[] = [
  [
    /^\ufeff?\s{0,8}\{\s{0,8}"format"\s?:\s?"voicewire-recording"/,
    'a recording, which lint, diff and serve read',
  ],
  [
    /^\ufeff?\s{0,8}\{\s{0,8}"kind"\s?:\s?"voicewire-benchmark"/,
    'the results of a plan, which have it in their field plan',
  ],
];

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
  const [, other] = OTHERS.find(([beginning]) => beginning.test(text)) ?? [];
  if (other !== undefined) return failed([{ path: '', message: `expected a plan, got ${other}` }]);
  let value: unknown;
  try {
    value = parseJson(text, LIMITS);
  } catch (error) {
    return failed([{ path: '', message: messageOf(error) }]);
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

const NO_KEY = 'a plan holds no key; name the environment variable that does in keyFrom';

const listed = (ids: readonly string[]): string => ids.map((id) => JSON.stringify(id)).join(', ');

const unknownFields = (fields: readonly string[]): string =>
  fields.some(isSecretName) ? NO_KEY : `there is no field ${listed(fields)} here`;

const twice = (named: readonly { name: string }[], list: string): PlanProblem[] =>
  named.flatMap(({ name }, at) =>
    named.findIndex((other) => other.name === name) < at
      ? [{ path: `${list}[${at}].name`, message: `${JSON.stringify(name)} is there twice` }]
      : [],
  );

function tooMany(plan: Plan): PlanProblem[] {
  const runs = runsInAll(plan);
  const message = `this makes ${runs} runs, and a plan has at most ${MAX_RUNS_IN_ALL}`;
  return runs > MAX_RUNS_IN_ALL ? [{ path: 'runs', message }] : [];
}

function configurationProblems(plan: Plan, configuration: PlanConfiguration, at: number): PlanProblem[] {
  const problems: PlanProblem[] = [];
  const add = (field: string, message: string) =>
    problems.push({ path: `configurations[${at}].${field}`, message });
  const addIssues = (field: string, issues: readonly Issue[]): void => {
    for (const { path, expected, found } of issues)
      add(path === '' ? field : `${field}.${path}`, `expected ${expected}, got ${found}`);
  };
  const { settings, speaker, source } = configuration;
  const endpoint = PAGE_ENDPOINTS.find(({ id }) => id === configuration.endpoint);
  if (!endpoint) {
    const ids = listed(PAGE_ENDPOINTS.map(({ id }) => id));
    add('endpoint', `expected one of ${ids}, got ${shown(configuration.endpoint)}`);
    return problems;
  }
  const server = serverProblem(
    configuration.server,
    endpoint.servers.map(({ id }) => id),
  );
  if (server) add('server', server);
  for (const part of ['settings', 'speaker'] as const) {
    const secret = Object.keys(configuration[part]).find(
      (field) => isSecretName(field) || endpoint.reservedFields.includes(field),
    );
    if (secret !== undefined) add(`${part}.${secret}`, NO_KEY);
  }
  addIssues('settings', endpoint.checkSettings(settings));
  if (endpoint.contexts) addIssues('speaker', endpoint.contexts.checkSettings(speaker));
  else if (Object.keys(speaker).length > 0) {
    add('speaker', `${endpoint.id} has a single context, so that all settings belong in settings`);
  }
  const profile = source.kind === 'simulated' ? source.profile : null;
  if (typeof profile === 'string' && !PROFILES.some(({ id }) => id === profile)) {
    const ids = listed(PROFILES.map(({ id }) => id));
    add('source.profile', `expected one of ${ids} or a whole profile, got ${shown(profile)}`);
  }
  const { textChars } = endpoint.limits;
  plan.texts.forEach(({ text: { length } }, textAt) => {
    const message = `${endpoint.id} takes at most ${textChars} characters, and these are ${length}`;
    if (length > textChars) problems.push({ path: `texts[${textAt}].text`, message });
  });
  return problems;
}

/** A server is the id of a known one, or a WebSocket address without credentials. */
function serverProblem(server: string, ids: readonly string[]): string | null {
  if (ids.includes(server)) return null;
  const expected = `expected one of ${listed(ids)} or an address such as "wss://tts.example.com"`;
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
  const { measure, max, min, configuration, connection } = threshold;
  const problems = measureProblem(measure, `${path}.measure`);
  const add = (field: string, message: string) => problems.push({ path: path + field, message });
  if (max === undefined && min === undefined) add('', 'expected a max, a min or both, got neither');
  if (configuration !== undefined && !plan.configurations.some(({ name }) => name === configuration)) {
    add('.configuration', `there is no configuration named ${JSON.stringify(configuration)}`);
  }
  if (connection !== undefined && !connectionKinds(plan).includes(connection)) {
    add('.connection', `no run of this plan is on a ${connection} connection`);
  }
  return problems;
}
