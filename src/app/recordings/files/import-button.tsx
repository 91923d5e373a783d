import { FileUp } from 'lucide-react';
import { useRef } from 'react';
import { Button } from '../../ui/button.tsx';
import { FileField } from '../../ui/fields/file-field.tsx';
import { openFile } from './import-file.ts';

/** File types that the browser offers. The importer decides by the content. */
const ACCEPTED = '.ndjson,.jsonl,.har,.json,.gz,application/json,application/x-ndjson,application/gzip';

/** Opens a file. @param onChosen called before the file is read */
export function ImportButton({ onChosen }: { onChosen?: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <FileField
        ref={input}
        label="File to open"
        accept={ACCEPTED}
        onFile={(file) => {
          onChosen?.();
          void openFile(file);
        }}
      />
      <Button size="small" icon={FileUp} onClick={() => input.current?.click()}>
        Open a file
      </Button>
    </>
  );
}
