// Plays a film of the gallery while it is in view, and only then: thirty at a time would keep every core busy.
(() => {
  const films = document.querySelectorAll('iframe.film[data-src]');
  if (films.length === 0) return;
  const show = (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting && !target.hasAttribute('src')) target.src = target.dataset.src;
      if (!isIntersecting) target.removeAttribute('src');
    }
  };
  const watch = new IntersectionObserver(show, { threshold: 0.25 });
  films.forEach((film) => watch.observe(film));
})();
