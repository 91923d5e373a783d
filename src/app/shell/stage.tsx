import { Group, Panel, Separator } from 'react-resizable-panels';
import { ROOMY_MEDIA, useMedia } from '../browser/use-media.ts';
import { selectEndpoint, useSettings } from '../stores/settings-store.ts';
import { Composer } from '../studio/composer/composer.tsx';
import { ConnectionProblems } from '../studio/composer/connection-problems.tsx';
import { Tour } from '../studio/tour/tour.tsx';
import { Transcript } from '../studio/transcript/transcript.tsx';
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
  if (endpoint.contexts) {
    return (
      <Group
        key={beside ? 'beside' : 'below'}
        orientation={beside ? 'horizontal' : 'vertical'}
        className="h-full bg-canvas"
      >
        <Panel id="transcript" minSize={beside ? '200px' : '32px'}>
          <div className="flex h-full min-h-0 flex-col">
            {transcript}
            <ConnectionProblems />
            <Tour />
          </div>
        </Panel>
        <Separator
          aria-label="Size of the script"
          className={beside ? 'divider divider-column' : 'divider divider-row'}
        />
        <Panel id="script" defaultSize={beside ? '464px' : '62%'} minSize={beside ? '360px' : '240px'}>
          <SceneComposer endpoint={endpoint} />
        </Panel>
      </Group>
    );
  }
  return (
    <div className="flex h-full min-h-0 flex-col bg-canvas">
      {transcript}
      <ConnectionProblems />
      <Tour />
      {inBoundary('The composer', <Composer />)}
    </div>
  );
}
