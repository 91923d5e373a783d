import type { LucideIcon } from 'lucide-react';
import { useRef } from 'react';
import { plainFileName } from '../browser/save-file.ts';
import { Button } from '../ui/button.tsx';
import { FileField } from '../ui/fields/file-field.tsx';
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

/** Opens a JSON file. */
export function FileButton({ onFile, ...button }: FileButtonProps) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <ToolButton {...button} onClick={() => field.current?.click()} />
      <FileField ref={field} label={`${button.label}: file`} onFile={onFile} />
    </>
  );
}

/** Returns `two-voices-results.json` for a plan named “Two voices”. */
export const fileName = (planName: string, what: string, extension: string): string =>
  `${plainFileName(planName, 'benchmark')}-${what}.${extension}`;
