//! What the title of the terminal says about a query: its conversation and the title of that, as
//! soon as each of them is known.

use std::sync::{
    Arc,
    mpsc::{Receiver, channel},
};

use super::scene::Scene;
use crate::{
    cli::args::Query,
    env::Env,
    model::{ConversationId, Meta},
    ui::show_title,
};

/// What the title of the terminal says.
pub struct Caption {
    id: Option<ConversationId>,
    title: Option<String>,
    /// Whether something is to be shown that is not.
    is_new: bool,
    news: Receiver<News>,
    teller: Teller,
}

/// Tells somebody what is new about the conversation.
#[derive(Clone)]
pub struct Teller(Arc<dyn Fn(News) + Send + Sync>);

/// What is new about the conversation.
#[derive(Clone, Debug)]
pub enum News {
    /// It has begun, and what was asked is on disk.
    Begun(ConversationId),
    /// It has another title.
    Named(String),
}

impl Caption {
    /// That of a query which goes to an existing conversation, or begins one with this head.
    pub fn of(scene: &Scene, meta: &Meta) -> Self {
        let title = match &scene.conversation {
            Some(conversation) => conversation.snapshot.meta.title.clone(),
            None => meta.title.clone(),
        };
        Self::about(scene.target.id(), title)
    }

    /// That of a conversation of which this is known so far.
    pub fn about(id: Option<ConversationId>, title: Option<String>) -> Self {
        let (sender, news) = channel();
        let teller = Teller::to(move |news| {
            // The query may be over by now.
            let _late = sender.send(news);
        });
        Self { id, title, is_new: true, news, teller }
    }

    /// What its conversation is called.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// A way to tell it what it does not know yet.
    pub fn teller(&self) -> Teller {
        self.teller.clone()
    }

    /// What is to be shown, if that has changed.
    pub fn fresh(&mut self) -> Option<String> {
        while let Ok(news) = self.news.try_recv() {
            self.is_new = true;
            match news {
                News::Begun(id) => self.id = Some(id),
                News::Named(title) => self.title = Some(title),
            }
        }
        let id = self.id.filter(|_| std::mem::take(&mut self.is_new))?;
        Some(text(id, self.title.as_deref()))
    }
}

impl Teller {
    /// Tells whoever hears it.
    pub fn to(hear: impl Fn(News) + Send + Sync + 'static) -> Self {
        Self(Arc::new(hear))
    }

    /// Something is new.
    pub fn tell(&self, news: News) {
        (self.0)(news);
    }

    /// The conversation has begun.
    pub fn begun(&self, id: ConversationId) {
        self.tell(News::Begun(id));
    }

    /// It has another title.
    pub fn named(&self, title: &str) {
        self.tell(News::Named(title.to_owned()));
    }
}

/// Shows at once which conversation a query goes to, if that is known.
pub fn show_target(env: &Env, args: &Query, scene: &Scene) {
    if is_wanted(args, scene)
        && let Some(text) = Caption::of(scene, &Meta::default()).fresh()
    {
        show_title(env, &text);
    }
}

/// Whether the title of the terminal is set at all.
pub fn is_wanted(args: &Query, scene: &Scene) -> bool {
    scene.resolved.settings.ui.terminal_title && !args.manner.quiet
}

fn text(id: ConversationId, title: Option<&str>) -> String {
    match title {
        Some(title) => format!("{id}: {title}"),
        None => id.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caption(id: Option<&str>, title: Option<&str>) -> Caption {
        Caption::about(id.map(|id| id.parse().unwrap()), title.map(str::to_owned))
    }

    #[test]
    fn it_is_shown_once_and_again_when_there_is_news() {
        let mut caption = caption(Some("jp-c17"), None);
        assert_eq!(caption.fresh().as_deref(), Some("jp-c17"));
        assert_eq!(caption.fresh(), None);
        caption.teller().named("Carrots");
        assert_eq!(caption.fresh().as_deref(), Some("jp-c17: Carrots"));
        assert_eq!(caption.fresh(), None);
    }

    #[test]
    fn a_conversation_that_has_not_begun_has_no_caption() {
        let mut caption = caption(None, Some("Carrots"));
        assert_eq!(caption.fresh(), None);
        let teller = caption.teller();
        teller.begun("jp-c17".parse().unwrap());
        assert_eq!(caption.fresh().as_deref(), Some("jp-c17: Carrots"));
        drop(caption);
        teller.named("too late");
    }
}
