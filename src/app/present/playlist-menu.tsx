import { Ellipsis, FileDown, FileUp, Plus, Trash2 } from 'lucide-react';
import { useRef } from 'react';
import { messageOf } from '#lib/message-of.ts';
import { saveText } from '../browser/save-file.ts';
import { pageRedaction } from '../stores/page-redaction.ts';
import { FileField } from '../ui/fields/file-field.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Menu } from '../ui/popups/menu.tsx';
import { contentOf, type Playlist, type PlaylistContent } from './playlist.ts';
import { addPlaylist, deletePlaylist, EMPTY_PLAYLIST, isShipped } from './playlist-store.ts';
import type { Refuse } from './presenter-state.ts';

/** The menu of the panel: adds, opens, saves and deletes a playlist. */
export function PlaylistMenu({ playlist, refuse }: { playlist: Playlist | null; refuse: Refuse }) {
  const field = useRef<HTMLInputElement>(null);
  const none = playlist ? null : 'Choose a playlist first.';
  const add = (content: PlaylistContent) => refuse(addPlaylist(content), 'No playlist was added');
  return (
    <>
      <Menu
        trigger={<IconButton label="More about the playlist" icon={Ellipsis} />}
        items={[
          {
            id: 'new',
            label: 'New playlist',
            icon: Plus,
            onSelect: () => add(EMPTY_PLAYLIST),
          },
          {
            id: 'import',
            label: 'Open a file …',
            hint: 'A playlist that was saved as a file',
            icon: FileUp,
            onSelect: () => field.current?.click(),
          },
          {
            id: 'export',
            label: 'Save as a file',
            hint: none ?? 'JSON, without keys, servers and recordings',
            icon: FileDown,
            disabled: playlist === null,
            onSelect: () => {
              if (playlist)
                void saved(playlist).catch((error) => refuse(messageOf(error), 'The file was not saved'));
            },
          },
          {
            id: 'delete',
            label: 'Delete the playlist',
            hint:
              playlist && isShipped(playlist) ? 'It comes with Voicewire and stays.' : (none ?? undefined),
            icon: Trash2,
            disabled: playlist === null || isShipped(playlist),
            onSelect: () => playlist && deletePlaylist(playlist.id),
          },
        ]}
      />
      <FileField
        ref={field}
        label="Playlist file"
        onFile={(file) =>
          void opened(file).then(add, (error) => refuse(messageOf(error), `${file.name} was not opened`))
        }
      />
    </>
  );
}

// Loaded on demand, because nothing else in the presenter reads or writes files.
const files = () => import('./playlist-file.ts');

const opened = async (file: File): Promise<PlaylistContent> => await (await files()).readPlaylistFile(file);

async function saved(playlist: Playlist): Promise<void> {
  const { playlistText, playlistFileName } = await files();
  const text = playlistText(contentOf(playlist), await pageRedaction());
  saveText(text, playlistFileName(playlist.name), 'application/json');
}
