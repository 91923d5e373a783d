import { CircleAlert, CircleCheck } from 'lucide-react';
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { bytes, counted } from '#lib/format.ts';
import type { Endpoint, Settings } from '#protocol/core/endpoint.ts';
import { type Finding, findingsOf, lineOf } from '../editor/findings.ts';
import type { JsonEditor } from '../editor/json-editor.ts';
import { mapJson, type Span } from '../editor/json-map.ts';
import { cx } from '../ui/cx.ts';
import { FieldLabel } from '../ui/field-label.tsx';
import { CopyButton } from './frame-preview.tsx';
import { byteLength, openingFrames } from './frame-text.ts';
import { defaultJson, rangeText } from './setting-value.ts';

export interface JsonViewProps {
  endpoint: Endpoint;
  settings: Settings;
  text: string;
  /** Fields that take effect with the next turn. */
  pending: ReadonlySet<string>;
  onText: (text: string) => void;
}

/** The config frame as text, and under it what is not sent and therefore left to the server. */
export function JsonView({ endpoint, settings, text, pending, onText }: JsonViewProps) {
  const id = useId();
  const findings = useMemo(() => findingsOf(text, endpoint), [text, endpoint]);
  const spans = useMemo(() => pendingSpans(text, pending), [text, pending]);
  const errors = findings.filter(({ severity }) => severity === 'error');
  const frame = openingFrames(endpoint, settings).join('\n');
  return (
    <>
      <div className="flex flex-col gap-1">
        <FieldLabel
          title="Config frame"
          trailing={
            <span className="-my-1 flex touch:-my-3 touch:-mr-3 items-center gap-1">
              <span className="font-mono">{bytes(byteLength(frame))}</span>
              <CopyButton text={frame} size="tiny" />
            </span>
          }
        />
        <CodeBox
          text={text}
          findings={findings}
          pending={spans}
          invalid={errors.length > 0}
          describedBy={`${id}-state`}
          onText={onText}
        />
        <div id={`${id}-state`} aria-live="polite" className="flex flex-col gap-1 text-12">
          {errors.length === 0 && (
            <p className="flex gap-1.5 text-text-muted">
              <CircleCheck aria-hidden className="mt-px size-3.5 shrink-0" strokeWidth={1.75} />
              Valid. The form shows the same {counted(Object.keys(settings).length, 'value')}.
            </p>
          )}
          {findings.map((finding) => (
            <FindingLine key={`${finding.span.from} ${finding.message}`} finding={finding} text={text} />
          ))}
        </div>
      </div>
      <NotSent endpoint={endpoint} settings={settings} />
    </>
  );
}

function FindingLine({ finding, text }: { finding: Finding; text: string }) {
  const bad = finding.severity === 'error';
  return (
    <p className={cx('flex gap-1.5', bad ? 'text-failed' : 'text-text-muted')}>
      <CircleAlert aria-hidden className="mt-px size-3.5 shrink-0" strokeWidth={1.75} />
      <span className="min-w-0 break-words">
        Line {lineOf(text, finding.span.from)}: {finding.message}
      </span>
    </p>
  );
}

function pendingSpans(text: string, pending: ReadonlySet<string>): Span[] {
  const map = pending.size === 0 ? null : mapJson(text);
  if (!map?.ok || map.root.kind !== 'object') return [];
  return map.root.members.filter(({ key }) => pending.has(key)).map(({ keySpan }) => keySpan);
}

interface CodeBoxProps {
  text: string;
  findings: readonly Finding[];
  pending: readonly Span[];
  invalid: boolean;
  describedBy: string;
  onText: (text: string) => void;
}

/** Holds the editor, which is fetched when it is first looked at; until then the text stands in its place. */
function CodeBox({ text, findings, pending, invalid, describedBy, onText }: CodeBoxProps) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<JsonEditor | null>(null);
  const latest = useRef({ text, findings, pending, describedBy, onText });
  const [state, setState] = useState<'loading' | 'ready' | 'failed'>('loading');
  latest.current = { text, findings, pending, describedBy, onText };

  useEffect(() => {
    let gone = false;
    import('../editor/json-editor.ts').then(
      ({ createJsonEditor }) => {
        if (gone || !host.current) return;
        const { onText: _, ...content } = latest.current;
        editor.current = createJsonEditor({
          ...content,
          parent: host.current,
          label: 'Config frame',
          onChange: (typed) => latest.current.onText(typed),
        });
        setState('ready');
      },
      () => !gone && setState('failed'),
    );
    return () => {
      gone = true;
      editor.current?.destroy();
      editor.current = null;
    };
  }, []);

  useEffect(() => {
    editor.current?.show({ text, findings, pending });
  }, [text, findings, pending]);

  return (
    <div
      className={cx(
        'overflow-hidden rounded-control border bg-surface-sunken has-[.cm-focused]:outline-2 has-[.cm-focused]:outline-offset-1 has-[.cm-focused]:outline-text',
        invalid ? 'border-failed' : 'border-border-strong',
      )}
    >
      <div ref={host} />
      {state !== 'ready' && (
        <pre className="px-8 py-1.5 font-mono text-12 leading-5 whitespace-pre-wrap text-text-muted">
          {text}
        </pre>
      )}
      {state === 'failed' && (
        <p role="alert" className="px-2.5 pb-2 text-12 text-failed">
          The editor could not be loaded. Reload the page; the form works meanwhile.
        </p>
      )}
    </div>
  );
}

/** A longer default takes the room of the range, which the form shows as well. */
const MAX_DEFAULT_BESIDE_RANGE = 10;

/** Every setting that is left to the server: what it takes, what it could be. */
function NotSent({ endpoint, settings }: { endpoint: Endpoint; settings: Settings }) {
  const rest = endpoint.settings.filter(({ field }) => settings[field] === undefined);
  if (rest.length === 0) return null;
  return (
    <table className="-mx-4 block border-t border-border px-4 pt-2.5">
      <caption className="sr-only">Settings that are not sent</caption>
      <thead className="block">
        <tr className="flex justify-between text-12 text-text-subtle">
          <th scope="col" className="font-medium">
            Not sent, default applies
          </th>
          <th scope="col" className="font-normal">
            range
          </th>
        </tr>
      </thead>
      <tbody className="mt-1.5 block">
        {rest.map((setting) => {
          const standard = defaultJson(setting);
          return (
            <tr
              key={setting.field}
              className="grid min-h-7 grid-cols-[154px_minmax(0,1fr)_auto] items-center gap-1 border-b border-border text-12 last:border-0"
            >
              <th scope="row" className="truncate text-left font-mono font-normal text-text-muted">
                {setting.field}
              </th>
              <td className="font-mono whitespace-nowrap" title={setting.absent}>
                {standard}
              </td>
              {standard.length <= MAX_DEFAULT_BESIDE_RANGE && (
                <td className="text-right whitespace-nowrap text-text-subtle">{rangeText(setting)}</td>
              )}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
