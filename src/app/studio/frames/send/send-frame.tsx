import { CircleAlert, CircleCheck, Info, Send } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useId, useMemo, useState } from 'react';
import { bytes as sizeOf } from '#lib/format.ts';
import { lineAndColumn } from '#lib/json-text.ts';
import type { Endpoint, Frame } from '#protocol/core/endpoint.ts';
import { KEY_PLACEHOLDER } from '#protocol/core/frame-template.ts';
import { JsonBox } from '../../../editor/json-box.tsx';
import type { TextProblem } from '../../../editor/text-problems.ts';
import { byteLength } from '../../../settings/frame-text.ts';
import { Button } from '../../../ui/button.tsx';
import { cx } from '../../../ui/cx.ts';
import { Segmented } from '../../../ui/segmented.tsx';
import { Select } from '../../../ui/select.tsx';
import { type Draft, draftOfFrame, frameOfDraft, templateDraft, templateText } from './draft.ts';
import { completeFrame, frameFields, frameFindings } from './frame-fields.ts';
import { HexBox } from './hex-box.tsx';

/** An earlier frame to be sent again; another `index` is another frame. */
export interface ResendSource {
  index: number;
  payload: Frame;
}

export interface SendFrameProps {
  endpoint: Endpoint;
  /** What to begin with; null: a template. */
  resend?: ResendSource | null;
  /** Why nothing can be sent now; null where it can. */
  disabledReason?: string | null;
  onSend: (frame: Frame) => void;
}

/** A composer for any frame. Frames that break a rule are marked and can be sent, to see how the server reacts. */
export function SendFrame({ resend = null, ...props }: SendFrameProps) {
  // Another endpoint has other messages, and another frame to send again is asked for; either begins anew.
  return <Composer key={`${props.endpoint.id} ${resend?.index}`} {...props} resend={resend} />;
}

function Composer({ endpoint, resend = null, disabledReason = null, onSend }: SendFrameProps) {
  const [draft, setDraft] = useState<Draft>(() =>
    resend ? draftOfFrame(resend.payload) : templateDraft(endpoint.templates[0]),
  );
  const [sent, setSent] = useState(0);
  const stateId = useId();
  const { mode, text, hex } = draft;
  const fields = useMemo(() => frameFields(endpoint), [endpoint]);
  const known = useMemo(() => new Set(fields.map(({ name }) => name)), [fields]);
  const findings = useMemo(
    () => (mode === 'text' ? frameFindings(text, endpoint, known) : []),
    [mode, text, endpoint, known],
  );
  const result = useMemo(() => frameOfDraft({ mode, text, hex }), [mode, text, hex]);
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const chosen = mode === 'text' ? endpoint.templates.find((one) => templateText(one) === text) : undefined;

  const change = (next: Partial<Draft>) => {
    setDraft((before) => ({ ...before, ...next }));
    setSent(0);
  };
  const send = () => {
    if (disabledReason !== null || !('frame' in result)) return;
    onSend(result.frame);
    setSent((times) => times + 1);
  };
  const type = (event: KeyboardEvent) => {
    // The editor has closed its list by it, and nothing else is to be closed.
    if (event.key === 'Escape' && event.defaultPrevented) event.stopPropagation();
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    // Anywhere else this key speaks.
    event.preventDefault();
    event.stopPropagation();
    send();
  };

  return (
    <section aria-label="Send a frame" onKeyDown={type} className="flex min-h-0 flex-col gap-3 p-4">
      <div className="flex flex-wrap items-center gap-2">
        <Segmented
          label="Kind of frame"
          size="small"
          options={[
            { value: 'text', label: 'JSON' },
            { value: 'binary', label: 'Binary' },
          ]}
          value={mode}
          onChange={(next) => change({ mode: next })}
        />
        <Select
          label="Template"
          size="small"
          className="flex-1"
          placeholder={resend ? `Frame ${resend.index}` : 'Template'}
          value={chosen?.title ?? null}
          options={endpoint.templates.map(({ title, about }) => ({
            value: title,
            label: title,
            hint: about,
          }))}
          onChange={(title) => change(templateDraft(endpoint.templates.find((one) => one.title === title)))}
        />
      </div>
      {mode === 'text' ? (
        <>
          <JsonBox
            label="Frame to send"
            text={text}
            problems={findings}
            describedBy={stateId}
            onTyped={(typed) => change({ text: typed })}
            complete={(before) => completeFrame(before, fields)}
          />
          <Findings id={stateId} text={text} findings={findings} />
        </>
      ) : (
        <HexBox hex={hex} result={result} describedBy={stateId} onHex={(typed) => change({ hex: typed })} />
      )}
      <div className="flex items-center gap-3">
        <p role="status" className="min-w-0 flex-1 text-12 text-text-muted">
          {sent > 0 ? `Sent${sent > 1 ? ` ${sent} times` : ''}. The answer comes as any other frame.` : ''}
        </p>
        <span className="font-mono text-12 text-text-subtle">
          {'frame' in result && sizeText(result.frame)}
        </span>
        <Button
          icon={Send}
          onClick={send}
          disabledReason={
            disabledReason ?? ('problem' in result ? 'What stands there is no bytes yet' : null)
          }
        >
          {errors > 0 ? 'Send anyway' : 'Send frame'}
        </Button>
      </div>
    </section>
  );
}

const sizeText = (frame: Frame): string =>
  sizeOf(typeof frame === 'string' ? byteLength(frame) : frame.byteLength);

function Findings({ id, text, findings }: { id: string; text: string; findings: readonly TextProblem[] }) {
  const isValid = findings.every(({ severity }) => severity !== 'error');
  return (
    <div id={id} aria-live="polite" className="flex flex-col gap-1 text-12">
      {isValid && (
        <Line icon={CircleCheck} tone="text-text-muted">
          Breaks no rule by itself.
        </Line>
      )}
      {findings.map(({ span, severity, message }) => (
        <Line
          key={`${span.from} ${message}`}
          icon={CircleAlert}
          tone={severity === 'error' ? 'text-failed' : 'text-text-muted'}
        >
          Line {lineAndColumn(text, span.from).line}: {message}
        </Line>
      ))}
      {text.includes(`"${KEY_PLACEHOLDER}"`) && (
        <Line icon={Info} tone="text-text-muted">
          {KEY_PLACEHOLDER} is replaced by your key when the frame leaves.
        </Line>
      )}
    </div>
  );
}

interface LineProps {
  icon: typeof Info;
  tone: string;
  children: ReactNode;
}

function Line({ icon: Icon, tone, children }: LineProps) {
  return (
    <p className={cx('flex gap-1.5', tone)}>
      <Icon aria-hidden className="mt-px size-3.5 shrink-0" strokeWidth={1.75} />
      <span className="min-w-0 break-words">{children}</span>
    </p>
  );
}
