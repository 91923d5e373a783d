import { Disc, Play, Plus, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { counted, seconds } from '#lib/format.ts';
import { recordingName } from '../recordings/recording-name.ts';
import { replayObstacle } from '../recordings/replay-button.tsx';
import { recordingsLink } from '../recordings-client/recordings-link.ts';
import { useRecordings } from '../recordings-client/recordings-store.ts';
import { EqualLoudnessSwitch } from '../settings/voices/equal-loudness-switch.tsx';
import { Button } from '../ui/button.tsx';
import { Form } from '../ui/fields/form.tsx';
import { TextField } from '../ui/fields/text-field.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Notice } from '../ui/notice.tsx';
import { NumberField } from '../ui/number-field.tsx';
import { Empty } from '../ui/page.tsx';
import { Menu } from '../ui/popups/menu.tsx';
import { ScrollRegion } from '../ui/scroll-region.tsx';
import { Segmented } from '../ui/segmented.tsx';
import { Select } from '../ui/select.tsx';
import { Switch } from '../ui/switch.tsx';
import { lineItems, recordingItem } from './additions.ts';
import {
  itemProblem,
  itemProblemWords,
  MAX_PAUSE_BETWEEN_MS,
  MAX_TITLE_CHARS,
  type Playlist,
} from './playlist.ts';
import { PlaylistItems } from './playlist-items.tsx';
import { PlaylistMenu } from './playlist-menu.tsx';
import {
  addItems,
  allPlaylists,
  choosePlaylist,
  editPlaylist,
  isShipped,
  STUDIO_TEXT,
  selectPlaylist,
  usePlaylists,
} from './playlist-store.ts';
import { type Refuse, togglePlaylist, usePlaylistRunner } from './presenter-state.ts';

/** The playlist of the presenter: which one, how it runs, and its items. */
export function PlaylistPanel() {
  const own = usePlaylists((state) => state.own);
  const playlist = usePlaylists(selectPlaylist);
  const damaged = usePlaylists((state) => state.damaged);
  const [refusal, setRefusal] = useState<{ title: string; why: string } | null>(null);
  const refuse: Refuse = (why, title = 'Nothing was changed') =>
    setRefusal(why === null ? null : { title, why });
  const options = [
    {
      value: STUDIO_TEXT,
      label: 'The text of the studio',
      hint: 'No playlist: Space speaks what the composer holds',
    },
    ...allPlaylists({ own }).map((one) => ({
      value: one.id,
      label: one.name,
      hint: `${counted(one.items.length, 'item')}, ${isShipped(one) ? 'comes with Voicewire' : 'yours'}`,
    })),
  ];
  return (
    <aside
      data-playlist
      aria-label="Playlist"
      className="fixed inset-0 z-30 flex flex-col border-l border-border bg-surface wide:static wide:z-auto wide:w-96 wide:shrink-0 wide:border-t"
    >
      <div className="flex items-center gap-1 border-b border-border p-2 pl-3">
        <Select
          label="Playlist"
          options={options}
          value={playlist?.id ?? STUDIO_TEXT}
          onChange={(id) => {
            setRefusal(null);
            choosePlaylist(id);
          }}
          className="flex-1"
        />
        <PlaylistMenu playlist={playlist} refuse={refuse} />
        <IconButton label="Close the playlist" icon={X} onClick={togglePlaylist} />
      </div>
      <ScrollRegion
        label="Items of the playlist"
        className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]"
      >
        {damaged > 0 && (
          <Notice
            severity="warning"
            title={`${counted(damaged, 'stored playlist')} could not be read`}
            remedy="Open the playlist again from a file."
            onDismiss={() => usePlaylists.setState({ damaged: 0 })}
            className="m-3 mb-0"
          >
            The stored data are damaged. Dismissing this notice, or any change, removes them.
          </Notice>
        )}
        {refusal && (
          <Notice
            severity="error"
            title={refusal.title}
            onDismiss={() => setRefusal(null)}
            className="m-3 mb-0"
          >
            {refusal.why}
          </Notice>
        )}
        {playlist && <Rules playlist={playlist} refuse={refuse} />}
        {playlist && playlist.items.length > 0 ? (
          <PlaylistItems playlist={playlist} refuse={refuse} />
        ) : (
          <Empty>
            {playlist
              ? 'Nothing is in it yet. Write lines below, or choose “Add to demo” beside Speak in the studio.'
              : 'Choose a playlist above, or write lines of your own below.'}
          </Empty>
        )}
      </ScrollRegion>
      <OwnLines hasItems={(playlist?.items.length ?? 0) > 0} refuse={refuse} />
    </aside>
  );
}

/** How the playlist runs. */
function Rules({ playlist, refuse }: { playlist: Playlist; refuse: Refuse }) {
  const { name, auto, pauseMs, loop } = playlist;
  const change = (next: Partial<Playlist>) => refuse(editPlaylist((of) => ({ ...of, ...next })));
  return (
    <section aria-label="How it runs" className="flex flex-col gap-2.5 border-b border-border px-3 py-3">
      {!isShipped(playlist) && (
        <TextField
          label="Name of the playlist"
          value={name}
          maxLength={MAX_TITLE_CHARS}
          // An empty name would name nothing in the list.
          onChange={(next) => next !== '' && change({ name: next })}
        />
      )}
      <Segmented
        label="What follows an item"
        fill
        value={auto ? 'auto' : 'key'}
        onChange={(next) => change({ auto: next === 'auto' })}
        options={[
          { value: 'auto', label: 'One after another' },
          { value: 'key', label: 'On Space' },
        ]}
      />
      <div className="flex min-h-7 flex-wrap items-center gap-x-4 gap-y-1 text-12 text-text-muted">
        <Switch checked={loop} onChange={(next) => change({ loop: next })}>
          Loop
        </Switch>
        <EqualLoudnessSwitch />
        {auto && (
          <span className="ml-auto inline-flex items-center gap-2">
            Pause
            <NumberField
              label="Pause between items"
              unit="s"
              min={0}
              max={MAX_PAUSE_BETWEEN_MS / 1000}
              step={0.5}
              digits={1}
              value={pauseMs / 1000}
              onChange={(inSeconds) => {
                if (inSeconds !== null && inSeconds >= 0 && inSeconds * 1000 <= MAX_PAUSE_BETWEEN_MS)
                  change({ pauseMs: Math.round(inSeconds * 1000) });
              }}
              className="w-20"
            />
          </span>
        )}
      </div>
      {isShipped(playlist) && (
        <p className="text-12 text-text-subtle">Comes with Voicewire. A change makes a copy of your own.</p>
      )}
    </section>
  );
}

/** The shortest way to a playlist: each line that is typed becomes an item in the voice of the studio. */
function OwnLines({ hasItems, refuse }: { hasItems: boolean; refuse: Refuse }) {
  const runner = usePlaylistRunner();
  const [text, setText] = useState('');
  const items = text.trim() === '' ? [] : lineItems(text);
  const add = () => {
    const problem = items.map(itemProblem).find((one) => one !== null);
    const why = problem ? itemProblemWords(problem) : addItems(items);
    refuse(why, 'The lines were not added');
    if (why === null) setText('');
  };
  return (
    <Form
      aria-label="Lines of your own"
      data-own-key="Enter"
      onSubmit={add}
      className="flex shrink-0 flex-col gap-2 border-t border-border p-3"
    >
      <textarea
        aria-label="Lines of your own"
        dir="auto"
        value={text}
        placeholder="Your own lines. Each line is an item."
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          // The page's own shortcut would speak the text of the studio.
          event.preventDefault();
          event.stopPropagation();
          add();
        }}
        className="field-sizing-content max-h-40 min-h-20 w-full resize-none rounded-control border border-border-strong bg-field px-2.5 py-1.5 text-13"
      />
      <span className="flex flex-wrap justify-end gap-2">
        <AddRecording refuse={refuse} />
        <Button
          icon={Plus}
          onClick={add}
          disabledReason={items.length === 0 ? 'Write a line first.' : null}
          className="max-wide:flex-1"
        >
          {items.length === 0 ? 'Add lines' : `Add ${counted(items.length, 'line')}`}
        </Button>
        {/* Where the panel covers the presenter. */}
        <Button
          icon={Play}
          variant="filled"
          onClick={() => {
            togglePlaylist();
            runner.advance();
          }}
          disabledReason={hasItems ? null : 'The playlist has no items yet.'}
          className="flex-1 wide:hidden"
        >
          Start
        </Button>
      </span>
    </Form>
  );
}

/** The newest ones are in the menu. */
const SHOWN_RECORDINGS = 12;

function AddRecording({ refuse }: { refuse: Refuse }) {
  const list = useRecordings((state) => state.list);
  const live = useRecordings((state) => state.live);
  const growing = useRecordings((state) => state.growing);
  useEffect(() => recordingsLink.order(({ refresh }) => refresh()), []);
  const playable = (list ?? []).filter((recording) => replayObstacle(recording, false) === null);
  return (
    <Menu
      side="top"
      align="start"
      trigger={
        <Button
          variant="ghost"
          icon={Disc}
          disabledReason={playable.length === 0 ? 'Nothing has been recorded yet.' : null}
          className="mr-auto max-wide:basis-full"
        >
          Add a recording
        </Button>
      }
      items={playable.slice(0, SHOWN_RECORDINGS).map((recording) => {
        const isGrowing = recording.id === live || growing.includes(recording.id);
        return {
          id: recording.id,
          label: recordingName(recording),
          // A playlist that replays its own session would grow with every round.
          hint: isGrowing
            ? 'Still being recorded. Reload the page to end it.'
            : `${seconds(recording.durationUs / 1e6)} · ${recording.endpoint}`,
          disabled: isGrowing,
          onSelect: () => refuse(addItems([recordingItem(recording)]), 'The recording was not added'),
        };
      })}
    />
  );
}
