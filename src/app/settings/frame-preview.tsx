import { ChevronRight } from 'lucide-react';
import { bytes } from '#lib/format.ts';
import type { Endpoint, Settings } from '#protocol/core/endpoint.ts';
import { contextIdOf } from '#text/script.ts';
import { byteLength } from '#trace/frame-size.ts';
import { castOf, useScene } from '../stores/scene-store.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { openingFrames } from './frame-text.ts';

export function FramePreview({ endpoint, settings }: { endpoint: Endpoint; settings: Settings }) {
  const first = useScene((state) => castOf(state, endpoint)[0]);
  const opens = first && { context: contextIdOf(first.name), settings: first.settings };
  const frame = openingFrames(endpoint, settings, opens).join('\n');
  return (
    <details className="group -mx-4 border-t border-border px-4 pt-1">
      <summary className="flex h-9 cursor-default list-none items-center gap-1.5 rounded-control text-13 font-medium touch:h-11 [&::-webkit-details-marker]:hidden">
        <ChevronRight className="-ml-1 size-3.5 text-text-subtle group-open:rotate-90" />
        <span className="flex-1">{first ? `Config frame of ${first.name}` : 'Config frame'}</span>
        <span className="font-mono text-12 font-normal text-text-subtle">{bytes(byteLength(frame))}</span>
      </summary>
      <div className="relative mb-3 rounded-control border border-border-strong bg-surface-sunken py-2 pr-10 pl-2.5">
        <pre className="font-mono text-12 leading-5 break-all whitespace-pre-wrap text-text">{frame}</pre>
        <span className="absolute top-1 right-1 touch:top-0 touch:right-0">
          <CopyButton key={frame} what="the config frame" text={() => frame} />
        </span>
      </div>
    </details>
  );
}
