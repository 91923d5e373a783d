import {
  cloneElement,
  type FocusEvent,
  type FunctionComponent,
  type PointerEvent,
  type ReactElement,
  useEffect,
  useState,
} from 'react';
import type { TooltipPartProps } from './tooltip-part.tsx';

export interface TooltipProps extends Pick<TooltipPartProps, 'content'> {
  /** One element that accepts pointer and focus events; it keeps its role and name. */
  children: ReactElement<Handlers>;
  side?: TooltipPartProps['side'];
}

interface Handlers {
  onPointerEnter?: (event: PointerEvent) => void;
  onPointerLeave?: (event: PointerEvent) => void;
  onPointerDown?: (event: PointerEvent) => void;
  onFocus?: (event: FocusEvent) => void;
  onBlur?: (event: FocusEvent) => void;
}

const OPENS_AFTER_MS = 400;
/** The way of the pointer from the element to its text. */
const CLOSES_AFTER_MS = 100;

const load = () => import('./tooltip-part.tsx').then(({ TooltipPart }) => TooltipPart);

/** A short explanation on hover and on keyboard focus; none where it is empty. Never the only place of needed information. */
export function Tooltip({ content, children, side = 'top' }: TooltipProps) {
  const [wanted, setWanted] = useState<{ anchor: Element | null; afterMs: number } | null>(null);
  const [shown, setShown] = useState<{ anchor: Element; Part: FunctionComponent<TooltipPartProps> } | null>(
    null,
  );
  const isEmpty = content === null || content === undefined || content === '';
  const show = (anchor: Element | null, afterMs = 0) => {
    if (!anchor || !isEmpty) setWanted({ anchor, afterMs });
  };
  useEffect(() => {
    if (!wanted) return;
    const { anchor, afterMs } = wanted;
    let isWanted = true;
    // It loads while the pointer rests.
    const loading = anchor && load();
    loading?.catch(() => undefined);
    const change = async () => {
      const Part = await loading;
      if (isWanted) setShown(anchor && Part ? { anchor, Part } : null);
    };
    const timer = setTimeout(() => change().catch(() => undefined), afterMs);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [wanted]);
  const { props } = children;
  const trigger = cloneElement(children, {
    onPointerEnter: (event) => {
      props.onPointerEnter?.(event);
      if (event.pointerType !== 'touch') show(event.currentTarget, OPENS_AFTER_MS);
    },
    onPointerLeave: (event) => {
      props.onPointerLeave?.(event);
      show(null, CLOSES_AFTER_MS);
    },
    onPointerDown: (event) => {
      props.onPointerDown?.(event);
      show(null);
    },
    onFocus: (event) => {
      props.onFocus?.(event);
      if (event.target.matches(':focus-visible')) show(event.currentTarget);
    },
    onBlur: (event) => {
      props.onBlur?.(event);
      show(null);
    },
  });
  return (
    <>
      {trigger}
      {shown && !isEmpty && (
        <shown.Part
          anchor={shown.anchor}
          content={content}
          side={side}
          onHover={(isOver) => show(isOver ? shown.anchor : null, isOver ? 0 : CLOSES_AFTER_MS)}
          onClose={() => show(null)}
        />
      )}
    </>
  );
}
