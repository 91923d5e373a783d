import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { cx } from './cx.ts';
import { Tooltip } from './tooltip.tsx';

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'type' | 'children' | 'aria-label'> {
  /** Accessible name, also shown on hover and focus. */
  label: string;
  icon: LucideIcon;
  /** 32, 28 and 24 px; 44 px wherever a finger is likely. */
  size?: 'medium' | 'small' | 'tiny';
  /** Off where the icon is obvious, as on a dialog's cross. */
  tooltip?: boolean;
  tooltipSide?: 'top' | 'bottom' | 'left' | 'right';
}

const SIZES = { medium: 'size-8', small: 'size-7', tiny: 'size-6' };

export function IconButton({
  label,
  icon: Icon,
  size = 'medium',
  tooltip = true,
  tooltipSide = 'top',
  className,
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip content={tooltip ? label : ''} side={tooltipSide}>
      <button
        {...rest}
        type="button"
        aria-label={label}
        className={cx(
          'inline-flex shrink-0 cursor-default items-center justify-center rounded-control text-text-muted transition-colors duration-100 hover:bg-hover hover:text-text disabled:opacity-40 aria-pressed:bg-selected aria-pressed:text-text touch:size-11',
          SIZES[size],
          className,
        )}
      >
        <Icon className={size === 'tiny' ? 'size-3.5' : 'size-4'} />
      </button>
    </Tooltip>
  );
}
