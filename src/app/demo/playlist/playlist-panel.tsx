import { X } from 'lucide-react';
import { useState } from 'react';
import { counted } from '#lib/format.ts';
import {
  allPlaylists,
  choosePlaylist,
  isShipped,
  STUDIO_TEXT,
  selectPlaylist,
  usePlaylists,
} from '../../playlist/playlist-store.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import { Select } from '../../ui/select.tsx';
import { togglePlaylist } from '../presenter-store.ts';
import { OwnLines } from './own-lines.tsx';
import { PlaylistItems } from './playlist-items.tsx';
import { type PanelNote, PlaylistMenu } from './playlist-menu.tsx';
import { PlaylistRules } from './playlist-rules.tsx';

/** The playlist of the presenter: which one, how it runs, and its items. */
export function PlaylistPanel() {
  const own = usePlaylists((state) => state.own);
  const chosen = usePlaylists((state) => state.chosen);
  const playlist = usePlaylists(selectPlaylist);
  const damaged = usePlaylists((state) => state.damaged);
  const [note, setNote] = useState<PanelNote | null>(null);
  const refused = (why: string | null, title = 'Nothing was changed') =>
    setNote(why === null ? null : { severity: 'error', title, text: why });
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
          value={playlist ? chosen : STUDIO_TEXT}
          onChange={(id) => {
            setNote(null);
            choosePlaylist(id);
          }}
          className="flex-1"
        />
        <PlaylistMenu playlist={playlist} onNote={setNote} />
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
        {note && (
          <Notice
            severity={note.severity}
            title={note.title}
            onDismiss={() => setNote(null)}
            className="m-3 mb-0"
          >
            {note.text}
          </Notice>
        )}
        {playlist && <PlaylistRules playlist={playlist} onRefused={refused} />}
        {playlist && playlist.items.length > 0 ? (
          <PlaylistItems playlist={playlist} onRefused={refused} />
        ) : (
          <p className="px-4 pt-4 text-13 text-text-muted">
            {playlist
              ? 'Nothing is in it yet. Write lines below, or choose “Add to demo” beside Speak in the studio.'
              : 'Choose a playlist above, or write lines of your own below.'}
          </p>
        )}
      </ScrollRegion>
      <OwnLines onRefused={refused} />
    </aside>
  );
}
