import { useState } from 'react';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { ROOMY_MEDIA, useMedia } from '../browser/use-media.ts';
import { selectEndpoint, useSettings } from '../stores/settings-store.ts';
import { Composer } from '../studio/composer/composer.tsx';
import { ConnectionProblems } from '../studio/composer/connection-problems.tsx';
import { Tour } from '../studio/tour/tour.tsx';
import { Transcript } from '../studio/transcript/transcript.tsx';
import { cx } from '../ui/cx.ts';
import { Divider } from '../ui/divider.tsx';
import { later, Opening } from '../ui/later.tsx';
import { inBoundary } from '../ui/panel-boundary.tsx';

const SceneComposer = later({ name: 'The composer', Meanwhile: Opening }, () =>
  import('../studio/composer/scene-composer.tsx').then((module) => module.SceneComposer),
);

const transcript = inBoundary('The transcript', <Transcript />);

export function Stage() {
  const endpoint = useSettings(selectEndpoint);
  // In a narrower column a transcript line would hold one or two words.
  const beside = useMedia(ROOMY_MEDIA);
  if (endpoint.contexts)
    return <SceneStage key={beside ? 'beside' : 'below'} endpoint={endpoint} beside={beside} />;
  return (
    <div className="flex h-full min-h-0 flex-col bg-canvas">
      {transcript}
      <ConnectionProblems />
      <Tour />
      {inBoundary('The composer', <Composer />)}
    </div>
  );
}

/** The transcript, and the script beside or below it. */
function SceneStage({ endpoint, beside }: { endpoint: Endpoint; beside: boolean }) {
  const [scriptPx, setScriptPx] = useState<number | null>(null);
  const minPx = beside ? 360 : 240;
  return (
    <div className={cx('flex h-full bg-canvas', !beside && 'flex-col')}>
      <div className={cx('flex flex-1 flex-col overflow-clip', beside ? 'min-w-50' : 'min-h-8')}>
        {transcript}
        <ConnectionProblems />
        <Tour />
      </div>
      <Divider
        label="Size of the script"
        line={beside ? 'column' : 'row'}
        pane="behind"
        size={scriptPx}
        min={minPx}
        max={2000}
        onChange={setScriptPx}
      />
      <div
        className="overflow-clip"
        style={{
          flexBasis: scriptPx ?? (beside ? 464 : '62%'),
          [beside ? 'minWidth' : 'minHeight']: minPx,
        }}
      >
        <SceneComposer endpoint={endpoint} />
      </div>
    </div>
  );
}
