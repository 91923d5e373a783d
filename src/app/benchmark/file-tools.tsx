import type { LucideIcon } from 'lucide-react';
import { useRef } from 'react';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';

export interface ToolButtonProps {
  label: string;
  icon: LucideIcon;
  onClick: () => void;
  wide?: boolean;
}

export const ToolButton = ({ label, icon, onClick, wide = false }: ToolButtonProps) =>
  wide ? (
    <Button size="small" icon={icon} onClick={onClick}>
      {label}
    </Button>
  ) : (
    <IconButton size="small" label={label} icon={icon} tooltipSide="bottom" onClick={onClick} />
  );

export interface FileButtonProps extends Omit<ToolButtonProps, 'onClick'> {
  onFile: (file: File) => void;
}

/** Opens a JSON file. The hidden field is named after the button, so that a script can fill it. */
export function FileButton({ onFile, ...button }: FileButtonProps) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <ToolButton {...button} onClick={() => field.current?.click()} />
      <input
        ref={field}
        type="file"
        hidden
        aria-label={`${button.label}: file`}
        accept=".json,application/json"
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          // Cleared, so that choosing the same file again is a change.
          event.target.value = '';
          if (file) onFile(file);
        }}
      />
    </>
  );
}

/** Returns `two-voices-results.json` for a plan named “Two voices”. */
export function fileName(planName: string, what: string, extension: string): string {
  const plain = planName
    .normalize('NFKD')
    .replaceAll(/[^\p{Letter}\p{Number}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
    .toLowerCase();
  return `${plain === '' ? 'benchmark' : plain}-${what}.${extension}`;
}
