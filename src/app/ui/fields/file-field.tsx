import type { RefObject } from 'react';

interface FileFieldProps {
  ref: RefObject<HTMLInputElement | null>;
  label: string;
  /** File types that the browser offers. */
  accept?: string;
  onFile: (file: File) => void;
}

/** The hidden field behind a button that opens a file. Its name lets a script fill it. */
export const FileField = ({ ref, label, accept = '.json,application/json', onFile }: FileFieldProps) => (
  <input
    ref={ref}
    type="file"
    hidden
    aria-label={label}
    accept={accept}
    onChange={(event) => {
      const [file] = event.target.files ?? [];
      // Cleared, so that choosing the same file again is a change.
      event.target.value = '';
      if (file) onFile(file);
    }}
  />
);
