import type { LucideIcon } from 'lucide-react';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';

export interface ToolButtonProps {
  label: string;
  icon: LucideIcon;
  onClick: () => void;
  /** With its words beside the icon. */
  wide?: boolean;
}

/** A button in a row of tools: an icon, or an icon with its words where there is room. */
export const ToolButton = ({ label, icon, onClick, wide = false }: ToolButtonProps) =>
  wide ? (
    <Button size="small" icon={icon} onClick={onClick}>
      {label}
    </Button>
  ) : (
    <IconButton size="small" label={label} icon={icon} tooltipSide="bottom" onClick={onClick} />
  );
