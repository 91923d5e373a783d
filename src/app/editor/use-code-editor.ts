import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { CodeEditor } from './code-editor.ts';

type EditorState = 'loading' | 'ready' | 'failed';

/**
 * Loads an editor's code when the component mounts, and shows the content in it.
 * @param load imports the code and returns a function that builds the editor
 * @param content memoised: the editor updates when it changes
 */
export function useCodeEditor<Content>(
  load: () => Promise<(parent: HTMLElement, content: Content) => CodeEditor<Content>>,
  content: Content,
): { host: RefObject<HTMLDivElement | null>; state: EditorState; loadAgain: () => void } {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<CodeEditor<Content> | null>(null);
  const loadNow = useEffectEvent(load);
  const contentNow = useEffectEvent(() => content);
  const [state, setState] = useState<EditorState>('loading');

  const isWanted = state !== 'failed';
  useEffect(() => {
    if (!isWanted) return;
    let isGone = false;
    loadNow().then(
      (create) => {
        if (isGone || !host.current) return;
        editor.current = create(host.current, contentNow());
        // Synchronous, because otherwise one frame would show both the editor and its placeholder.
        flushSync(() => setState('ready'));
      },
      () => !isGone && setState('failed'),
    );
    return () => {
      isGone = true;
      editor.current?.destroy();
      editor.current = null;
    };
  }, [isWanted]);

  useEffect(() => editor.current?.show(content), [content]);
  return { host, state, loadAgain: () => setState('loading') };
}
