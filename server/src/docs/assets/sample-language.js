/** Loaded before the page is shown, so that samples do not change their height afterwards. */
{
  let language = null;
  try {
    language = localStorage.getItem('saldo.docs.language');
  } catch {
    // Browsers may deny storage: the samples are in curl then.
  }
  const isKnown = ['curl', 'TypeScript', 'Python', 'CLI'].includes(language);
  document.documentElement.dataset.language = isKnown ? language : 'curl';
}
