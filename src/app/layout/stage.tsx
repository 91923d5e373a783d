import { Composer } from '../composer/composer.tsx';
import { PanelBoundary } from '../panel-boundary.tsx';
import { Transcript } from '../transcript/transcript.tsx';

/** What is heard, and what is said next. */
export function Stage() {
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
