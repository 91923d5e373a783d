import junit from 'junit-report-builder';
import type { Log, Notification, ReportingDescriptor, Result } from 'sarif';
import { counted } from '#lib/format.ts';
import type { Finding, Rule, Severity } from '#protocol/core/rule.ts';
import { restApiOf } from '#trace/rest-calls.ts';
import type { CheckedRecording } from './check-files.ts';

/** Findings of recordings as text for people and programs. */

/** From harmless to grave. */
const SEVERITIES = ['advice', 'warning', 'violation'] as const satisfies readonly Severity[];

export const FORMATS = {
  text: asText,
  json: asJson,
  sarif: asSarif,
  junit: asJunit,
} as const satisfies Record<string, (recordings: readonly CheckedRecording[], accepted: Accepted) => string>;

export type ReportFormat = keyof typeof FORMATS;

/** `none` or a severity: the gravest finding that is accepted. */
export const ACCEPTED = ['none', ...SEVERITIES] as const;
export type Accepted = (typeof ACCEPTED)[number];

/** Of the option `--max-severity`. */
export const MAX_SEVERITY_HELP = `gravest finding that is accepted: ${ACCEPTED.join(', ')}`;

/** Whether any finding is graver than what is accepted. */
export const hasGraver = (recordings: readonly CheckedRecording[], accepted: Accepted): boolean =>
  SEVERITIES.some(
    (severity) => isGraver(severity, accepted) && recordings.some(({ counts }) => counts[severity] > 0),
  );

const isGraver = (severity: Severity, accepted: Accepted): boolean =>
  ACCEPTED.indexOf(severity) > ACCEPTED.indexOf(accepted);

function asText(recordings: readonly CheckedRecording[]): string {
  const lines = recordings.flatMap((recording) => {
    const { file, name, endpoint, entries, unread, rules, findings, counts, missing } = recording;
    const all = counts.violation + counts.warning + counts.advice;
    const head = `${file}${name && name !== file ? ` (${name})` : ''}: ${endpoint || 'unknown endpoint'}, ${counted(entries, 'entry', 'entries')}`;
    const why = restApiOf(endpoint) ? 'REST calls have no rules' : 'no rules are known for it';
    const lacks = missing.map((words) => `  ${words}`);
    if (rules.length === 0) return [`${head}, not checked, because ${why}`, ...lacks];
    return [
      `${head}, ${all === 0 ? 'nothing found' : counted(all, 'finding')}`,
      ...findings.map(
        (finding) => `  ${finding.severity} ${finding.id}, ${placeOf(finding)}: ${finding.message}`,
      ),
      ...(all > findings.length ? [`  and ${all - findings.length} more`] : []),
      ...(unread > 0 ? [`  ${unreadWords(unread)}`] : []),
      ...lacks,
    ];
  });
  return `${lines.join('\n')}\n`;
}

const unreadWords = (unread: number): string =>
  `${counted(unread, 'entry', 'entries')} not checked, because earlier ones are missing`;

function asJson(recordings: readonly CheckedRecording[]): string {
  return `${JSON.stringify(
    recordings.map(({ rules, ...recording }) => ({ ...recording, rules: rules.length })),
    null,
    2,
  )}\n`;
}

const LEVELS = { violation: 'error', warning: 'warning', advice: 'note' } as const;

/** SARIF 2.1.0. An unpacked recording of the own format has entry 0 on line 2. */
function asSarif(recordings: readonly CheckedRecording[]): string {
  const rules = new Map(recordings.flatMap((recording) => recording.rules.map((rule) => [rule.id, rule])));
  const log: Log = {
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Voicewire', rules: [...rules.values()].map(ruleOf) } },
        results: recordings.flatMap(({ file, findings }) =>
          findings.map((finding) => resultOf(file, finding)),
        ),
        invocations: [
          {
            executionSuccessful: recordings.every(({ missing }) => missing.length === 0),
            toolExecutionNotifications: recordings.flatMap(({ file, unread, missing }) => [
              ...(unread > 0 ? [notificationOf('warning', `${file}: ${unreadWords(unread)}`)] : []),
              ...missing.map((words) => notificationOf('error', `${file}: ${words}`)),
            ]),
          },
        ],
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

const notificationOf = (level: Notification.level, text: string): Notification => ({
  level,
  message: { text },
});

const ruleOf = ({ id, title, why, severity }: Rule): ReportingDescriptor => ({
  id,
  shortDescription: { text: title },
  fullDescription: { text: why },
  defaultConfiguration: { level: LEVELS[severity] },
});

const resultOf = (file: string, finding: Finding): Result => ({
  ruleId: finding.id,
  level: LEVELS[finding.severity],
  message: { text: `${finding.message} (${placeOf(finding)})` },
  locations: [
    {
      physicalLocation: {
        artifactLocation: { uri: encodeURI(file) },
        ...(/\.ndjson$/i.test(file) ? { region: { startLine: finding.frame + 2 } } : {}),
      },
      logicalLocations: [{ fullyQualifiedName: placeOf(finding) }],
    },
  ],
});

/** A suite for each recording, a case for each rule, which fails by findings that are graver than what is accepted. */
function asJunit(recordings: readonly CheckedRecording[], accepted: Accepted): string {
  const builder = junit.newBuilder();
  for (const { file, name, rules, findings, unread, missing } of recordings) {
    const suite = builder.testSuite().name(`${file}${name ? ` ${name}` : ''}`);
    for (const rule of rules) {
      const test = suite.testCase().className(rule.group).name(`${rule.id}: ${rule.title}`);
      const broken = findings.filter(({ id }) => id === rule.id);
      if (broken.length > 0) {
        const lines = broken.map((finding) => `${placeOf(finding)}: ${finding.message}`);
        if (isGraver(rule.severity, accepted)) test.failure(lines.join('\n'), rule.severity);
        else test.standardOutput(lines.join('\n'));
      }
    }
    for (const words of missing)
      suite.testCase().className('recording').name('the file is whole').error(words);
    if (unread > 0) suite.testCase().className('recording').name(unreadWords(unread)).skipped();
  }
  return `${builder.build()}\n`;
}

const placeOf = ({ frame, connection, context, path }: Finding): string =>
  [
    `entry ${frame}`,
    `connection ${connection}`,
    ...(context === null ? [] : [`context ${context}`]),
    ...(path === null ? [] : [`field ${path}`]),
  ].join(', ');
