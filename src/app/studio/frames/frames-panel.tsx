import { type FunctionComponent, type KeyboardEvent, useEffect, useRef } from 'react';
import { flushSync } from 'react-dom';
import { isTyping } from '../../browser/shortcuts.ts';
import { ImportButton } from '../../recordings/files/import-button.tsx';
import { openSample } from '../../recordings/files/import-file.ts';
import { SAMPLES } from '../../recordings/files/samples.ts';
import { useRecordings } from '../../recordings-client/recordings-store.ts';
import { useSessionClient } from '../../session-client/provider.tsx';
import { selectSpeakName, useSettings } from '../../stores/settings-store.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { later, Opening } from '../../ui/later.tsx';
import { Empty } from '../../ui/page.tsx';
import { FrameTable } from './list/frame-list.tsx';
import { PanelNotices } from './panel-notices.tsx';
import { Toolbar } from './toolbar.tsx';
import { isFiltered, NO_FILTER, useFrames } from './view/frames-store.ts';
import { framesView } from './view/frames-view.ts';

const side = (name: string, load: () => Promise<FunctionComponent<{ onClose: () => void }>>) =>
  later({ name, when: 'shown', Meanwhile: Opening }, load);
const DetailPane = side('The detail', () => import('./detail-pane.tsx').then((module) => module.DetailPane));
const FindingsView = side('The findings', () =>
  import('./findings/findings-view.tsx').then((module) => module.FindingsView),
);

export function FramesPanel() {
  const client = useSessionClient();
  useEffect(() => framesView.followSelection(client), [client]);
  const isEmpty = useRecordings((state) => state.shown.rows === 0);
  const recording = useRecordings((state) => state.shown.recording?.id);
  const isDetailOpen = useFrames((state) => state.isDetailOpen && state.selection !== null);
  const isFindingsOpen = useFrames((state) => state.isFindingsOpen);
  const panel = useRef<HTMLElement>(null);
  /** Focuses the list, or the view in its place on a narrow panel. */
  const toList = () => {
    const lists = panel.current?.querySelectorAll<HTMLElement>('[role="treegrid"], [data-findings] section');
    const visible = [...(lists ?? [])].filter((element) => element.checkVisibility());
    (visible.find((element) => element.role === 'treegrid') ?? visible.at(-1))?.focus();
  };
  // The list must be rendered before it can take the focus.
  const leave = (change: { isDetailOpen: false } | { isFindingsOpen: false }) => {
    flushSync(() => useFrames.setState(change));
    toList();
  };
  const press = (event: KeyboardEvent) => {
    // Key events of an open menu bubble up to here, too.
    const isHere = event.target instanceof Node && panel.current?.contains(event.target);
    if (!isHere || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    // Esc closes the detail first, and cancels speech only after that.
    if (event.key === 'Escape' && isDetailOpen) leave({ isDetailOpen: false });
    else if (event.key === 'Escape' && isFindingsOpen) leave({ isFindingsOpen: false });
    else if (event.key === 'n' && !isTyping(event.target)) framesView.goOn(1);
    else if ((event.key === 'p' || event.key === 'N') && !isTyping(event.target)) framesView.goOn(-1);
    else return;
    event.preventDefault();
  };
  return (
    <section
      ref={panel}
      aria-label="Frames"
      onKeyDown={press}
      className="@container flex h-full min-h-0 flex-col"
    >
      <Toolbar onLeaveSearch={toList} />
      <PanelNotices />
      <div className="flex min-h-0 flex-1">
        {isFindingsOpen && (
          <div
            data-findings
            className={cx(
              'min-w-0 @max-[1040px]:flex-1 @min-[1040px]:w-80 @min-[1040px]:shrink-0 @min-[1040px]:border-r @min-[1040px]:border-border',
              isDetailOpen && '@max-[840px]:hidden',
            )}
          >
            <FindingsView onClose={() => leave({ isFindingsOpen: false })} />
          </div>
        )}
        <div
          className={cx(
            'flex min-w-0 flex-1 flex-col',
            isDetailOpen && '@max-[840px]:hidden',
            isFindingsOpen && '@max-[1040px]:hidden',
          )}
        >
          {isEmpty ? <EmptyList /> : <FrameTable key={recording} />}
        </div>
        {isDetailOpen && (
          <div className="min-w-0 @max-[840px]:flex-1 @min-[840px]:w-104 @min-[840px]:shrink-0 @min-[840px]:border-l @min-[840px]:border-border">
            <DetailPane onClose={() => leave({ isDetailOpen: false })} />
          </div>
        )}
      </div>
    </section>
  );
}

function EmptyList() {
  const { recording, loaded } = useRecordings((state) => state.shown);
  const hasFilter = useFrames(isFiltered);
  const speakName = useSettings(selectSpeakName);
  const isLoading = recording !== null && recording.entries > 0 && loaded === 0;
  return (
    <Empty className="min-h-0 flex-1">
      {isLoading ? (
        <p role="status">Reading {recording.entries.toLocaleString('en')} frames …</p>
      ) : loaded > 0 && hasFilter ? (
        <>
          <p>None of the {loaded.toLocaleString('en')} frames passes the filter.</p>
          <Button size="small" onClick={() => useFrames.setState(NO_FILTER)}>
            Show all frames
          </Button>
        </>
      ) : (
        <>
          <p className="max-w-100">
            Every frame that is sent and received will be listed here as it passes, with its time, its size
            and what it says. Press {speakName}, or look at a recording:
          </p>
          <div className="flex max-w-140 flex-wrap justify-center gap-2">
            {SAMPLES.map((sample) => (
              <Button
                key={sample.file}
                size="small"
                title={sample.hint}
                onClick={() => void openSample(sample)}
              >
                {sample.title}
              </Button>
            ))}
            <ImportButton />
          </div>
        </>
      )}
    </Empty>
  );
}
