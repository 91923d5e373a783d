import { Ellipsis, FileDown, FileUp, Plus, Trash2 } from 'lucide-react';
import { useRef } from 'react';
import { messageOf } from '#lib/message-of.ts';
import { saveText } from '../../browser/save-file.ts';
import { contentOf, type Playlist } from '../../playlist/playlist.ts';
import {
  addPlaylist,
  deletePlaylist,
  EMPTY_PLAYLIST,
  isShipped,
  usePlaylists,
} from '../../playlist/playlist-store.ts';
import { pageRedaction } from '../../stores/page-redaction.ts';
import { FileField } from '../../ui/fields/file-field.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu } from '../../ui/popups/menu.tsx';

/** The result of an action: a refusal, or a short confirmation. */
export interface PanelNote {
  severity: 'error' | 'info';
  title: string;
  text?: string;
}

interface PlaylistMenuProps {
  playlist: Playlist | null;
  onNote: (note: PanelNote | null) => void;
}

/** The menu of the panel: adds, opens, saves, shares and deletes a playlist. */
export function PlaylistMenu({ playlist, onNote }: PlaylistMenuProps) {
  const field = useRef<HTMLInputElement>(null);
  const none = playlist ? null : 'Choose a playlist first.';
  const failed = (title: string) => (error: unknown) =>
    onNote({ severity: 'error', title, text: messageOf(error) });
  const add = (...args: Parameters<typeof addPlaylist>): boolean => {
    const why = addPlaylist(...args);
    onNote(why === null ? null : { severity: 'error', title: 'No playlist was added', text: why });
    return why === null;
  };
  return (
    <>
      <Menu
        trigger={<IconButton label="More about the playlist" icon={Ellipsis} />}
        items={[
          {
            id: 'new',
            label: 'New playlist',
            icon: Plus,
            onSelect: () => void add(EMPTY_PLAYLIST),
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
            hint: none ?? 'JSON, without keys and servers',
            icon: FileDown,
            disabled: playlist === null,
            onSelect: () => {
              if (playlist) void exportFile(playlist).catch(failed('The file was not saved'));
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
          void openFile(file).then(
            (content) => {
              if (add(content))
                onNote({
                  severity: 'info',
                  title: `“${usePlaylists.getState().own.at(-1)?.name}” was opened`,
                });
            },
            failed(`${file.name} was not opened`),
          )
        }
      />
    </>
  );
}

// Loaded on demand, because nothing else in the presenter reads or writes files.
const files = () => import('../../playlist/playlist-file.ts');

async function openFile(file: File) {
  const { readPlaylistFile } = await files();
  return await readPlaylistFile(file);
}

async function exportFile(playlist: Playlist): Promise<void> {
  const { playlistText, playlistFileName } = await files();
  saveText(
    playlistText(contentOf(playlist), await pageRedaction()),
    playlistFileName(playlist.name),
    'application/json',
  );
}
