import { EditorView } from '@codemirror/view';

/**
 * Puts typed text in place of a selection. Left to the browser, it would carry over the looks of what it replaces as a
 * style attribute, which the page's policy forbids and the console tells.
 */
export const replaceSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType } = event;
    if (inputType !== 'insertText' || data === null || view.composing) return false;
    if (view.state.selection.main.empty) return false;
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    return true;
  },
});
