import { Download } from 'lucide-react';
import { useState } from 'react';
import { EXPORT_FORMATS, type ExportFormatId, type RecordingPart } from '#recordings/files/export-formats.ts';
import type { RecordingInfo } from '#trace/entry.ts';
import { restApiOf } from '#trace/rest-calls.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Group } from '../../ui/page.tsx';
import { Dialog } from '../../ui/popups/dialog.tsx';
import { Select } from '../../ui/select.tsx';
import { recordingName } from '../recording-name.ts';
import { partChoices } from './parts.ts';
import { SnippetSection } from './snippet.tsx';
import { TransferProgress } from './transfer-progress.tsx';
import { type ExportView, useExchange, useExport } from './use-export.ts';

const FORMATS = Object.keys(EXPORT_FORMATS) as ExportFormatId[];
const WHOLE: RecordingPart = { context: null };

export function ExportDialog({ onClose, recording }: { onClose: () => void; recording: RecordingInfo }) {
  const exporting = useExport(recording);
  const { report } = exporting;
  const outcome = useExchange({ kind: 'parts', recording: recording.id });
  const parts = outcome && partChoices(outcome.kind === 'parts' ? outcome.turns : []);
  const [chosen, setChosen] = useState('');
  const part = parts?.find(({ id }) => id === chosen) ?? parts?.[0];
  return (
    <Dialog
      onClose={onClose}
      title={`Export ${recordingName(recording)}`}
      description="No key is in any of these: each was replaced before the frame was recorded."
      width="max-w-[640px]"
    >
      <div className="flex flex-col gap-5">
        {report && (
          <Notice
            severity={report.severity}
            title={report.severity === 'error' ? 'There is no such file' : 'The file was made'}
          >
            {report.words}
          </Notice>
        )}
        <Group title="Frames">
          {FORMATS.filter((id) => EXPORT_FORMATS[id].of === 'recording').map((id) => (
            <Format
              key={id}
              format={id}
              exporting={exporting}
              onStart={() => exporting.start(id, WHOLE, '')}
            />
          ))}
        </Group>
        {restApiOf(recording.endpoint) ? (
          <p className="text-12 text-text-muted">
            REST calls have no turns of sound and words, and no program repeats them. The bytes of their
            bodies are in both files.
          </p>
        ) : (
          <>
            <Group
              title="Sound and words"
              tools={
                parts &&
                part &&
                parts.length > 1 && (
                  <Select
                    label="Part of the recording"
                    size="small"
                    className="max-w-72"
                    value={part.id}
                    onChange={setChosen}
                    options={parts.map(({ id, title }) => ({ value: id, label: title }))}
                  />
                )
              }
            >
              {part ? (
                FORMATS.filter((id) => EXPORT_FORMATS[id].of === 'part').map((id) => (
                  <Format
                    key={id}
                    format={id}
                    exporting={exporting}
                    onStart={() => exporting.start(id, part.part, part.fileName)}
                  />
                ))
              ) : (
                <p className="py-2 text-12 text-text-muted">
                  {parts ? 'There is no audio in this recording.' : 'Looking for turns …'}
                </p>
              )}
            </Group>
            <Group title="Program">
              <SnippetSection recording={recording} />
            </Group>
          </>
        )}
      </div>
    </Dialog>
  );
}

interface FormatProps {
  format: ExportFormatId;
  exporting: ExportView;
  onStart: () => void;
}

function Format({ format, exporting: { running, cancel }, onStart }: FormatProps) {
  const { title, hint, extension } = EXPORT_FORMATS[format];
  const own = running?.format === format ? running : null;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-border py-2 last:border-b-0">
      <p className="min-w-48 flex-1">
        <span className="text-13 font-medium">{title}</span>{' '}
        <code className="font-mono text-12 text-text-subtle max-wide:hidden">.{extension}</code>
        <span className="block text-12 text-text-subtle">{hint}</span>
      </p>
      {own ? (
        <span className="flex w-44 items-center gap-2">
          <TransferProgress label={`${title}, made so far`} done={own.done} onCancel={cancel} />
        </span>
      ) : (
        <Button
          size="small"
          icon={Download}
          aria-label={`Save as ${title}`}
          onClick={onStart}
          disabledReason={running ? 'Another file is being made' : null}
        >
          Save
        </Button>
      )}
    </div>
  );
}
