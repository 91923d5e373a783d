// Sets the stored theme before the first paint. A file of its own and no module: the page's policy allows no inline
// script, and a module would run too late.
try {
  const theme = JSON.parse(localStorage.getItem('voicewire.settings'))?.state?.theme;
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the system's theme holds.
}
