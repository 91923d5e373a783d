import {
  cloneElement,
  type FunctionComponent,
  type KeyboardEvent,
  type ReactElement,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react';
import { createPortal, flushSync } from 'react-dom';
import { loadProtocols } from '#protocol/protocols.ts';
import { firstPicture, loadAhead } from '../browser/idle.ts';
import { paint } from '../browser/paint.ts';
import { Notice } from './notice.tsx';
import { inBoundary } from './panel-boundary.tsx';

export interface LaterOptions<Props> {
  /** Name of the component in its error. */
  name: string;
  /**
   * `first`: loads right after the first picture, and is shown also while a voice begins, because words depend on it.
   * `idle`, the default: loads when the page is idle, or when rendered. `shown`: loads only when rendered, because few
   * visits need it.
   */
  when?: 'first' | 'idle' | 'shown';
  /** Rendered with the same props until then; nothing by default. */
  Meanwhile?: FunctionComponent<Props>;
}

/**
 * Returns a component that loads by itself. An error of the component is confined to its place, until the component is
 * loaded or rendered again.
 * @param options or the name alone
 */
export function later<Props extends object>(
  options: string | LaterOptions<Props>,
  load: () => Promise<FunctionComponent<Props>>,
): FunctionComponent<Props> {
  const {
    name,
    when = 'idle',
    Meanwhile = Nothing,
  } = typeof options === 'string' ? { name: options } : options;
  let loaded: FunctionComponent<Props> | null = null;
  const loadPart = async (): Promise<void> => {
    // Parts read protocols as they render, but for the one that words wait for.
    const [part] = await Promise.all([load(), when === 'first' ? null : loadProtocols()]);
    loaded ??= part;
  };
  if (when === 'idle') loadAhead(loadPart);
  // Rendering it loads it again and shows the failure.
  if (when === 'first') firstPicture.then(loadPart).catch(() => undefined);

  /** Suspends nothing: React shows what was suspended up to 300 ms late, and keeps a failure until the page is reloaded. */
  function Part(props: Props) {
    const [Loaded, setLoaded] = useState(() => loaded);
    const [failure, setFailure] = useState<{ error: unknown } | null>(null);
    useEffect(() => {
      if (Loaded) return;
      const show = () => setLoaded(() => loaded);
      firstPicture.then(loadPart).then(
        () => (when === 'first' ? show() : paint.besideVoices(show)),
        (error: unknown) => setFailure({ error }),
      );
    }, [Loaded]);
    if (failure) throw failure.error;
    return Loaded ? <Loaded {...props} /> : <Meanwhile {...props} />;
  }

  return (props: Props) => inBoundary(name, <Part {...props} />);
}

interface Triggered {
  /** The element that opens it. */
  trigger: ReactElement<Record<string, unknown>>;
  onOpenChange?: (open: boolean) => void;
}

/**
 * Loads a popup once the pointer or the focus reaches its trigger. A press before that opens it as soon as it has loaded.
 * React replaces the trigger then, and the new one takes over the focus. A failure leaves the trigger, for another press.
 * @param name of the popup in that failure
 * @param opens the role of what opens
 */
export function laterPopup<Props extends Triggered>(
  name: string,
  opens: 'menu' | 'listbox' | 'dialog',
  load: () => Promise<FunctionComponent<Props & { defaultOpen: boolean }>>,
): FunctionComponent<Props> {
  let loaded: Awaited<ReturnType<typeof load>> | null = null;

  function Popup(props: Props) {
    const [Loaded, setLoaded] = useState(() => loaded);
    const [isPressed, setPressed] = useState(false);
    const [hasFailed, setFailed] = useState(false);
    const element = useRef<HTMLElement | null>(null);
    const takesFocus = useRef(false);
    const keepFocus = useCallback((node: HTMLElement) => {
      element.current = node;
      if (takesFocus.current) node.focus();
      takesFocus.current = false;
      return () => {
        takesFocus.current ||= node === document.activeElement;
      };
    }, []);
    const want = async (isPress: boolean) => {
      try {
        loaded ??= await load();
        // An element that is replaced while it is pressed gets no click, so nothing comes between the look and the change.
        const show = () => {
          if (isPress || !element.current?.matches(':active')) flushSync(() => setLoaded(() => loaded));
        };
        paint.besideVoices(show);
      } catch {
        // A press loads it again and shows the failure.
        if (!isPress) return;
        setPressed(false);
        takesFocus.current = false;
        setFailed(true);
      }
    };
    if (Loaded) {
      return (
        <Loaded
          {...props}
          trigger={cloneElement(props.trigger, { ref: keepFocus })}
          defaultOpen={isPressed}
        />
      );
    }
    const press = () => {
      if (isPressed) return;
      setPressed(true);
      setFailed(false);
      // The popup returns the focus to where it was when it opened.
      takesFocus.current = true;
      props.onOpenChange?.(true);
      void want(true);
    };
    const trigger = cloneElement(props.trigger, {
      ref: keepFocus,
      onPointerEnter: () => want(false),
      onFocus: () => want(false),
      onClick: press,
      onKeyDown: (event: KeyboardEvent) => {
        if (opens === 'dialog' || !ARROWS.has(event.key)) return;
        event.preventDefault();
        press();
      },
      'aria-haspopup': opens,
      'aria-expanded': false,
    });
    return (
      <>
        {trigger}
        {hasFailed &&
          // A query container would be the containing block of `fixed`.
          createPortal(
            <div className="fixed inset-x-3 top-16 z-50 mx-auto max-w-100 rounded-control bg-surface-raised shadow-high">
              <Notice
                severity="error"
                title={`${name} could not be loaded`}
                remedy="Check the connection to the server and press again, or reload the page."
                onDismiss={() => setFailed(false)}
              />
            </div>,
            document.body,
          )}
      </>
    );
  }

  return (props: Props) => inBoundary(name, <Popup {...props} />);
}

const Nothing = () => null;

/** Keys that open a menu or a list, as they do once it has loaded. */
const ARROWS: ReadonlySet<string> = new Set(['ArrowDown', 'ArrowUp']);

/** Placeholder of a panel. It appears only when loading is slow enough to be noticed. */
export const Opening = () => <p className="appear-late p-4 text-13 text-text-muted">Opening …</p>;
