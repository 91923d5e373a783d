import { Ellipsis, FileDown, FileUp, Link2, Plus, Trash2 } from 'lucide-react';
import { useRef } from 'react';
import { messageOf } from '#lib/message-of.ts';
import { saveText } from '../../browser/save-file.ts';
import { contentOf, type Programme } from '../../programme/programme.ts';
import {
  addProgramme,
  deleteProgramme,
  EMPTY_PROGRAMME,
  isShipped,
  useProgrammes,
} from '../../programme/programme-store.ts';
import { pageRedaction } from '../../stores/page-redaction.ts';
import { FileField } from '../../ui/file-field.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu } from '../../ui/popups/menu.tsx';

/** The result of an action: a refusal, or a short confirmation. */
export interface PanelNote {
  severity: 'error' | 'info';
  title: string;
  text?: string;
}

interface ProgrammeMenuProps {
  programme: Programme | null;
  onNote: (note: PanelNote | null) => void;
}

/** The menu of the panel: adds, opens, saves, shares and deletes a programme. */
export function ProgrammeMenu({ programme, onNote }: ProgrammeMenuProps) {
  const field = useRef<HTMLInputElement>(null);
  const none = programme ? null : 'Choose a programme first.';
  const failed = (title: string) => (error: unknown) =>
    onNote({ severity: 'error', title, text: messageOf(error) });
  const add = (...args: Parameters<typeof addProgramme>): boolean => {
    const why = addProgramme(...args);
    onNote(why === null ? null : { severity: 'error', title: 'No programme was added', text: why });
    return why === null;
  };
  return (
    <>
      <Menu
        trigger={<IconButton label="More about the programme" icon={Ellipsis} />}
        items={[
          {
            id: 'new',
            label: 'New programme',
            icon: Plus,
            onSelect: () => void add(EMPTY_PROGRAMME),
          },
          {
            id: 'import',
            label: 'Open a file …',
            hint: 'A programme that was saved as a file',
            icon: FileUp,
            onSelect: () => field.current?.click(),
          },
          {
            id: 'export',
            label: 'Save as a file',
            hint: none ?? 'JSON, without keys and servers',
            icon: FileDown,
            disabled: programme === null,
            onSelect: () => {
              if (programme) void exportFile(programme).catch(failed('The file was not saved'));
            },
          },
          {
            id: 'link',
            label: 'Copy a link',
            hint: none ?? 'Adds the programme in another browser, without keys',
            icon: Link2,
            disabled: programme === null,
            onSelect: () => {
              if (programme) void copyLink(programme).then(onNote, failed('The link was not copied'));
            },
          },
          {
            id: 'delete',
            label: 'Delete the programme',
            hint:
              programme && isShipped(programme) ? 'It comes with Voicewire and stays.' : (none ?? undefined),
            icon: Trash2,
            disabled: programme === null || isShipped(programme),
            onSelect: () => programme && deleteProgramme(programme.id),
          },
        ]}
      />
      <FileField
        ref={field}
        label="Programme file"
        onFile={(file) =>
          void openFile(file).then(
            (content) => {
              if (add(content))
                onNote({
                  severity: 'info',
                  title: `“${useProgrammes.getState().own.at(-1)?.name}” was opened`,
                });
            },
            failed(`${file.name} was not opened`),
          )
        }
      />
    </>
  );
}

// Loaded on demand, because nothing else on the stage reads or writes files.
const files = () => import('../../programme/programme-file.ts');

async function openFile(file: File) {
  const { readProgrammeFile } = await files();
  return await readProgrammeFile(file);
}

async function exportFile(programme: Programme): Promise<void> {
  const { programmeText, programmeFileName } = await files();
  saveText(
    programmeText(contentOf(programme), await pageRedaction()),
    programmeFileName(programme.name),
    'application/json',
  );
}

async function copyLink(programme: Programme): Promise<PanelNote> {
  const { writeProgrammeLink } = await import('../../share/programme-link.ts');
  const link = await writeProgrammeLink(contentOf(programme), await pageRedaction());
  if ('problem' in link) return { severity: 'error', title: 'There is no link', text: link.problem };
  const address = new URL(location.href);
  address.search = '';
  address.hash = link.fragment;
  await navigator.clipboard.writeText(address.href);
  return { severity: 'info', title: 'Link copied', text: 'It holds the programme and no key.' };
}
