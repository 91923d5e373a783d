import { Group, Panel, Separator } from 'react-resizable-panels';
import { Composer } from '../composer/composer.tsx';
import { PanelBoundary } from '../panel-boundary.tsx';
import { SceneComposer } from '../scene/scene-composer.tsx';
import { selectEndpoint, useSettings } from '../stores/settings-store.ts';
import { Transcript } from '../transcript/transcript.tsx';
import { useMedia, WIDE } from '../use-media.ts';

/** What is heard, and what is said next. */
export function Stage() {
  const endpoint = useSettings(selectEndpoint);
  const wide = useMedia(WIDE);
  if (endpoint.contexts) {
    return (
      <Group
        key={wide ? 'beside' : 'below'}
        orientation={wide ? 'horizontal' : 'vertical'}
        className="h-full bg-canvas"
      >
        <Panel id="transcript" minSize="200px">
          <PanelBoundary name="The transcript">
            <Transcript />
          </PanelBoundary>
        </Panel>
        <Separator
          aria-label="Size of the script"
          className={wide ? 'divider divider-column' : 'divider divider-row'}
        />
        <Panel id="script" defaultSize={wide ? '464px' : '62%'} minSize={wide ? '360px' : '240px'}>
          <PanelBoundary name="The composer">
            <SceneComposer endpoint={endpoint} />
          </PanelBoundary>
        </Panel>
      </Group>
    );
  }
  return (
    <div className="flex h-full min-h-0 flex-col bg-canvas">
      <PanelBoundary name="The transcript">
        <Transcript />
      </PanelBoundary>
      <PanelBoundary name="The composer">
        <Composer />
      </PanelBoundary>
    </div>
  );
}
