import { Info, Send } from 'lucide-react';
import { type KeyboardEvent, useMemo, useState } from 'react';
import { bytes as sizeOf } from '#lib/format.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { type Frame, KEY_PLACEHOLDER } from '#protocol/core/frame.ts';
import { protocolOf } from '#protocol/protocols.ts';
import { byteLength } from '#trace/frame-size.ts';
import { CheckedJson } from '../../../editor/checked-json.tsx';
import { Button } from '../../../ui/button.tsx';
import { NoteLine } from '../../../ui/notice.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { Select } from '../../../ui/select.tsx';
import { type Draft, draftOfFrame, frameOfDraft, templateDraft, templateText } from './draft.ts';
import { completeFrame, frameFields, frameFindings } from './frame-fields.ts';
import { HexBox } from './hex-box.tsx';

export interface ResendSource {
  index: number;
  payload: Frame;
}

interface SendFrameProps {
  endpoint: Endpoint;
  /** Null: begins with a template. */
  resend: ResendSource | null;
  /** Reason why nothing can be sent; null where it can. */
  disabledReason: string | null;
  onSend: (frame: Frame) => void;
}

/** A composer for any frame. Frames that break a rule are marked and can be sent, to see how the server reacts. */
export function SendFrame({ endpoint, resend, disabledReason, onSend }: SendFrameProps) {
  const protocol = protocolOf(endpoint);
  const [draft, setDraft] = useState<Draft>(() =>
    resend ? draftOfFrame(resend.payload) : templateDraft(protocol.templates[0]),
  );
  const [sent, setSent] = useState(0);
  const { mode, text, hex } = draft;
  const fields = useMemo(() => frameFields(endpoint, protocol), [endpoint, protocol]);
  const known = useMemo(() => new Set(fields.map(({ name }) => name)), [fields]);
  const findings = useMemo(
    () => (mode === 'text' ? frameFindings(text, protocol, known) : []),
    [mode, text, protocol, known],
  );
  const result = useMemo(() => frameOfDraft({ mode, text, hex }), [mode, text, hex]);
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const chosen = mode === 'text' ? protocol.templates.find((one) => templateText(one) === text) : undefined;

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
    // The editor has closed its list, so the dialog stays open.
    if (event.key === 'Escape' && event.defaultPrevented) event.stopPropagation();
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    // Elsewhere, this key speaks.
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
          options={protocol.templates.map(({ title, about }) => ({
            value: title,
            label: title,
            hint: about,
          }))}
          onChange={(title) => change(templateDraft(protocol.templates.find((one) => one.title === title)))}
        />
      </div>
      {mode === 'text' ? (
        <CheckedJson
          label="Frame to send"
          text={text}
          problems={findings}
          onTyped={(typed) => change({ text: typed })}
          complete={(before) => completeFrame(before, fields)}
          valid="Breaks no rule by itself."
        >
          {text.includes(`"${KEY_PLACEHOLDER}"`) && (
            <NoteLine icon={Info} isMuted>
              {KEY_PLACEHOLDER} is replaced by your key when the frame leaves.
            </NoteLine>
          )}
        </CheckedJson>
      ) : (
        <HexBox hex={hex} result={result} onHex={(typed) => change({ hex: typed })} />
      )}
      <div className="flex items-center gap-3">
        <p role="status" className="min-w-0 flex-1 text-12 text-text-muted">
          {sent > 0 ? `Sent${sent > 1 ? ` ${sent} times` : ''}. The answer comes as any other frame.` : ''}
        </p>
        <span className="font-mono text-12 text-text-subtle">
          {'frame' in result && sizeOf(byteLength(result.frame))}
        </span>
        <Button
          icon={Send}
          onClick={send}
          disabledReason={disabledReason ?? ('problem' in result ? 'The text is not bytes in hex yet' : null)}
        >
          {errors > 0 ? 'Send anyway' : 'Send frame'}
        </Button>
      </div>
    </section>
  );
}
