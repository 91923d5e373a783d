import { type KeyboardEvent, useRef } from 'react';
import { ImportNotes } from '../exchange/import-notes.tsx';
import { useRecordings } from '../stores/recordings-store.ts';
import { DetailPane } from './detail-pane.tsx';
import { EmptyList } from './empty-list.tsx';
import { FrameList } from './frame-list.tsx';
import { useFrames } from './frames-store.ts';
import { PanelNotices } from './panel-notices.tsx';
import { Toolbar } from './toolbar.tsx';

/** Every frame of a session as a list, and the one that is looked at in detail. */
export function FramesPanel() {
  const isEmpty = useRecordings((state) => state.shown.rows === 0);
  const recording = useRecordings((state) => state.shown.recording?.id);
  const isDetailOpen = useFrames((state) => state.isDetailOpen && state.selection !== null);
  const panel = useRef<HTMLElement>(null);
  const toList = () => panel.current?.querySelector<HTMLElement>('[role="treegrid"]')?.focus();
  const close = () => {
    useFrames.setState({ isDetailOpen: false });
    toList();
  };
  // Esc leaves what is open here before it cancels any speech.
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || !isDetailOpen) return;
    // A menu's keys come by here too, although it lies over the page.
    if (!(event.target instanceof Node && panel.current?.contains(event.target))) return;
    event.preventDefault();
    close();
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
      <ImportNotes />
      <div className="flex min-h-0 flex-1">
        <div
          className={
            isDetailOpen ? 'flex min-w-0 flex-1 flex-col @max-[840px]:hidden' : 'flex min-w-0 flex-1 flex-col'
          }
        >
          {isEmpty ? <EmptyList /> : <FrameList key={recording} />}
        </div>
        {isDetailOpen && (
          <div className="min-w-0 @max-[840px]:flex-1 @min-[840px]:w-104 @min-[840px]:shrink-0 @min-[840px]:border-l @min-[840px]:border-border">
            <DetailPane onClose={close} />
          </div>
        )}
      </div>
    </section>
  );
}
