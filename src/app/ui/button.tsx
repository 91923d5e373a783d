import type { LucideIcon } from 'lucide-react';
import type { ComponentProps, MouseEvent } from 'react';
import { cx } from './cx.ts';
import { Tooltip } from './tooltip.tsx';

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'type' | 'disabled'> {
  /** `filled` at most once in view, for the next thing to do; `outline` for the others; `ghost` in toolbars. */
  variant?: 'filled' | 'outline' | 'ghost';
  /** 32 px and 28 px high; 44 px both where a finger is likely. */
  size?: 'medium' | 'small';
  icon?: LucideIcon | undefined;
  keys?: string | undefined;
  /** Disables the button. It stays focusable, so that the reason can be read. */
  disabledReason?: string | null | undefined;
}

const VARIANTS = {
  filled: 'bg-inverse text-on-inverse hover:opacity-90 aria-disabled:opacity-40',
  outline:
    'border border-border-strong text-text hover:bg-hover aria-disabled:text-text-subtle aria-disabled:hover:bg-transparent',
  ghost:
    'text-text-muted hover:bg-hover hover:text-text aria-pressed:bg-selected aria-pressed:text-text aria-disabled:opacity-50 aria-disabled:hover:bg-transparent',
};

const SIZES = {
  medium: 'h-8 gap-2 px-3 text-13',
  small: 'h-7 gap-1.5 px-2.5 text-12',
};

export function Button({
  variant = 'outline',
  size = 'medium',
  icon: Icon,
  keys,
  disabledReason,
  className,
  children,
  onClick,
  ...rest
}: ButtonProps) {
  const disabled = Boolean(disabledReason);
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    if (disabled) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <Tooltip content={disabledReason ?? ''}>
      <button
        {...rest}
        type="button"
        onClick={press}
        aria-disabled={disabled || undefined}
        aria-keyshortcuts={keys ? ariaKeys(keys) : undefined}
        className={cx(
          'inline-flex shrink-0 cursor-default items-center justify-center rounded-control font-medium whitespace-nowrap transition-[background-color,color,opacity] duration-100 touch:h-11 touch:min-w-11',
          VARIANTS[variant],
          SIZES[size],
          className,
        )}
      >
        {Icon && <Icon className="size-3.5 shrink-0" />}
        {children}
        {keys && (
          <span
            aria-hidden
            className={cx(
              '@max-[640px]:hidden touch:hidden',
              variant === 'filled' ? 'opacity-70' : 'text-text-subtle',
            )}
          >
            <Kbd keys={keys} />
          </span>
        )}
      </button>
    </Tooltip>
  );
}

/** A key or a chord of keys, as printed on them: `Esc`, `Ctrl Enter`. */
export function Kbd({ keys, className }: { keys: string; className?: string }) {
  return <kbd className={cx('text-12 font-normal whitespace-nowrap', className)}>{keys}</kbd>;
}

/** `Ctrl Enter` as `aria-keyshortcuts` wants it: `Control+Enter`. */
const ariaKeys = (keys: string): string =>
  keys.replace('Ctrl', 'Control').replace('⌘', 'Meta').replace('Esc', 'Escape').replaceAll(' ', '+');
