import { X } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { useStore } from 'zustand';
import { counted, milliseconds, seconds } from '#lib/format.ts';
import { rtfText } from '#session/measures/measure-text.ts';
import type { TimelineState } from '../../session-client/timeline/timeline-state.ts';
import { Defined } from '../../ui/defined.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { spanFigures } from './geometry/figures.ts';

export interface Hover {
  text: string;
  x: number;
  y: number;
  /** Above the pointer, because there is no room below. */
  isAbove: boolean;
}

export function HoverNote({ text, x, y, isAbove }: Hover) {
  return (
    <span
      className="pointer-events-none absolute z-1 max-w-72 -translate-x-1/2 rounded-control border border-border bg-surface-raised px-2.5 py-1.5 text-12 text-text shadow-high"
      style={{
        left: `clamp(80px, ${x}px, calc(100% - 80px))`,
        top: isAbove ? y - 14 : y + 18,
        transform: isAbove ? 'translateY(-100%)' : undefined,
      }}
    >
      {text}
    </span>
  );
}

export function SpanNote({ state, nowMs }: { state: TimelineState; nowMs: number }) {
  const span = useStore(state.look, (look) => look.span);
  const { lanes, marks } = state;
  useSyncExternalStore(lanes.subscribe, () => lanes.revision);
  if (!span || span.toMs <= span.fromMs) return null;
  const figures = spanFigures(span.fromMs, span.toMs, lanes, marks, nowMs);
  const rtf = (
    <Defined definition="Generation time of chunks within the span, divided by the audio that arrived in it.">
      RTF
    </Defined>
  );
  const facts = [
    ['text', `${counted(figures.textFrames, 'frame')}, ${counted(figures.characters, 'character')}`],
    ['audio', `${counted(figures.audioFrames, 'frame')}, ${seconds(figures.receivedMs / 1000)}`],
    ...(lanes.isUnheard ? [] : [['heard', seconds(figures.heardMs / 1000)] as const]),
    ['RTF', rtfText(figures.generationMs, figures.receivedMs), rtf],
    ['underruns', figures.underruns],
  ] as const;
  return (
    <section
      aria-label="Span"
      className="flex min-h-9 shrink-0 flex-wrap items-center gap-x-5 gap-y-1 border-t border-border bg-surface px-2 py-1 text-12 wide:px-5"
    >
      <span className="font-mono text-14">{milliseconds(figures.durationMs)}</span>
      {facts.map(([name, figure, title = name]) => (
        <span key={name} className="whitespace-nowrap">
          <span className="mr-1.5 text-text-subtle">{title}</span>
          <span className="font-mono">{figure}</span>
        </span>
      ))}
      <span className="ml-auto">
        <IconButton
          size="tiny"
          icon={X}
          label="Clear the span"
          onClick={() => state.look.setState({ span: null })}
        />
      </span>
    </section>
  );
}
