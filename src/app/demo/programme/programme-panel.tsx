import { X } from 'lucide-react';
import { useState } from 'react';
import { counted } from '#lib/format.ts';
import {
  allProgrammes,
  chooseProgramme,
  isShipped,
  STUDIO_TEXT,
  selectProgramme,
  useProgrammes,
} from '../../programme/programme-store.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import { Select } from '../../ui/select.tsx';
import { toggleProgramme } from '../stage-store.ts';
import { OwnLines } from './own-lines.tsx';
import { ProgrammeItems } from './programme-items.tsx';
import { type PanelNote, ProgrammeMenu } from './programme-menu.tsx';
import { ProgrammeRules } from './programme-rules.tsx';

/** The programme of the stage: which one, how it runs, and its items. */
export function ProgrammePanel() {
  const own = useProgrammes((state) => state.own);
  const chosen = useProgrammes((state) => state.chosen);
  const programme = useProgrammes(selectProgramme);
  const damaged = useProgrammes((state) => state.damaged);
  const [note, setNote] = useState<PanelNote | null>(null);
  const refused = (why: string | null, title = 'Nothing was changed') =>
    setNote(why === null ? null : { severity: 'error', title, text: why });
  const options = [
    {
      value: STUDIO_TEXT,
      label: 'The text of the studio',
      hint: 'No programme: Space speaks what the composer holds',
    },
    ...allProgrammes({ own }).map((one) => ({
      value: one.id,
      label: one.name,
      hint: `${counted(one.items.length, 'item')}, ${isShipped(one) ? 'comes with Voicewire' : 'yours'}`,
    })),
  ];
  return (
    <aside
      data-programme
      aria-label="Programme"
      className="fixed inset-0 z-30 flex flex-col border-l border-border bg-surface wide:static wide:z-auto wide:w-96 wide:shrink-0 wide:border-t"
    >
      <div className="flex items-center gap-1 border-b border-border p-2 pl-3">
        <Select
          label="Programme"
          options={options}
          value={programme ? chosen : STUDIO_TEXT}
          onChange={(id) => {
            setNote(null);
            chooseProgramme(id);
          }}
          className="flex-1"
        />
        <ProgrammeMenu programme={programme} onNote={setNote} />
        <IconButton label="Close the programme" icon={X} onClick={toggleProgramme} />
      </div>
      <ScrollRegion
        label="Items of the programme"
        className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]"
      >
        {damaged > 0 && (
          <Notice
            severity="warning"
            title={`${counted(damaged, 'stored programme')} could not be read`}
            remedy="Open the programme again from a file or a link."
            onDismiss={() => useProgrammes.setState({ damaged: 0 })}
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
        {programme && <ProgrammeRules programme={programme} onRefused={refused} />}
        {programme && programme.items.length > 0 ? (
          <ProgrammeItems programme={programme} onRefused={refused} />
        ) : (
          <p className="px-4 pt-4 text-13 text-text-muted">
            {programme
              ? 'Nothing is in it yet. Write lines below, or choose “Add to demo” beside Speak in the studio.'
              : 'Choose a programme above, or write lines of your own below.'}
          </p>
        )}
      </ScrollRegion>
      <OwnLines onRefused={refused} />
    </aside>
  );
}
