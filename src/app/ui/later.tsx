import {
  cloneElement,
  type FunctionComponent,
  lazy,
  type ReactElement,
  Suspense,
  useEffect,
  useState,
} from 'react';
import { afterPicture, loadAhead } from '../browser/idle.ts';
import { PanelBoundary } from './panel-boundary.tsx';

/** False until the first picture, which must not wait for parts that load by themselves. */
let hasPainted = false;

/**
 * Returns a component that loads when the page is idle, or when first rendered. An error in it is confined to it.
 * @param name as the error says it
 * @param Meanwhile rendered with the same props until then; nothing by default
 * @param isAhead false: loads only when it is rendered, because few visits need it
 */
export function later<Props extends object>(
  name: string,
  load: () => Promise<FunctionComponent<Props>>,
  Meanwhile: FunctionComponent<Props> = Nothing,
  isAhead = true,
): FunctionComponent<Props> {
  let loaded: FunctionComponent<Props> | null = null;
  const loadPart = async (): Promise<FunctionComponent<Props>> => {
    loaded = await load();
    return loaded;
  };
  const Part = lazy(() =>
    loadPart().then((part) => ({ default: part })),
  ) as unknown as FunctionComponent<Props>;
  if (isAhead) loadAhead(loadPart);
  return function Later(props: Props) {
    // React shows what was suspended for one microtask up to 300 ms later, so a loaded part is not suspended.
    const [Loaded] = useState(() => loaded);
    const [mayLoad, setMayLoad] = useState(hasPainted);
    useEffect(() => {
      afterPicture(() => {
        hasPainted = true;
        setMayLoad(true);
      });
    }, []);
    const meanwhile = <Meanwhile {...props} />;
    return (
      <PanelBoundary name={name}>
        {Loaded ? (
          <Loaded {...props} />
        ) : mayLoad ? (
          <Suspense fallback={meanwhile}>
            <Part {...props} />
          </Suspense>
        ) : (
          meanwhile
        )}
      </PanelBoundary>
    );
  };
}

interface Triggered {
  /** The element that opens it. */
  trigger: ReactElement<Record<string, unknown>>;
  onOpenChange?: (open: boolean) => void;
}

/** The same for a popup: its trigger is there at once, and a press on it opens the popup as soon as that has loaded. */
export function laterPopup<Props extends Triggered>(
  name: string,
  load: () => Promise<FunctionComponent<Props & { defaultOpen: boolean }>>,
): FunctionComponent<Props> {
  interface Early {
    defaultOpen: boolean;
    onPress: () => void;
  }
  const Popup = later<Props & Early>(name, load, ({ trigger, onPress }) =>
    cloneElement(trigger, { onClick: onPress }),
  );
  return function LaterPopup(props: Props) {
    const [isPressed, setPressed] = useState(false);
    const press = () => {
      setPressed(true);
      props.onOpenChange?.(true);
    };
    return <Popup {...props} defaultOpen={isPressed} onPress={press} />;
  };
}

const Nothing = () => null;

/** Placeholder of a panel. It appears only when loading is slow enough to be noticed. */
export const Opening = () => <p className="appear-late p-4 text-13 text-text-muted">Opening …</p>;
