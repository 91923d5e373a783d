import { useRecordings } from '../../recordings-client/recordings-store.ts';
import { Notice } from '../../ui/notice.tsx';
import { useImport } from './import-store.ts';

/** Notes of the importer about the recording that is shown. */
export function ImportNotes() {
  const notes = useImport((state) => state.notes);
  const shown = useRecordings((state) => state.shown.recording?.id);
  if (!notes || notes.recording !== shown) return null;
  return (
    <Notice
      severity="warning"
      title="The file was opened, but"
      onDismiss={() => useImport.setState({ notes: null })}
      className="m-2 shrink-0"
    >
      {notes.sentences.join(' ')}
    </Notice>
  );
}
