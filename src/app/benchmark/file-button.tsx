import type { LucideIcon } from 'lucide-react';
import { useRef } from 'react';
import { ToolButton } from './tool-button.tsx';

export interface FileButtonProps {
  label: string;
  icon: LucideIcon;
  /** As an input of type file takes it. */
  accept: string;
  onFile: (file: File) => void;
  /** With its words beside the icon. */
  wide?: boolean;
}

/** Asks for a file. The field behind the button has the button's name, so that a program can fill it. */
export function FileButton({ label, icon, accept, onFile, wide = false }: FileButtonProps) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <ToolButton label={label} icon={icon} wide={wide} onClick={() => field.current?.click()} />
      <input
        ref={field}
        type="file"
        hidden
        aria-label={`${label}: file`}
        accept={accept}
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          // The same file may be chosen again.
          event.target.value = '';
          if (file) onFile(file);
        }}
      />
    </>
  );
}
